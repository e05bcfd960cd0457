"""Turn the archives of learning platforms into submissions, with their authors and times."""
