"""A stub of Colab: the parts of ``google.colab`` that the course uses, with its names and errors.

As on Colab, it is imported before the first cell, and ``%pip`` runs the ``pip`` on the path. Two
environment variables replace the browser: ``COLAB_BROWSER`` names its open notebook, and
``COLAB_DOWNLOADS`` the folder for downloads.
"""

from IPython import get_ipython

if get_ipython() is not None:
    get_ipython().register_magic_function(
        lambda line: get_ipython().system(f"pip {line}"), magic_kind="line", magic_name="pip"
    )
