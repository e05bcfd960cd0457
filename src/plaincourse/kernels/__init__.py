"""Fork servers: processes that have imported all modules and fork kernels in milliseconds."""
