"""Stands in for Colab: what the course uses of ``google.colab``, with its names and its errors.

As on Colab, it is imported before the first cell, and ``%pip`` is the ``pip`` of the path. The
browser is two environment variables: ``COLAB_BROWSER`` names the notebook that is open there, and
``COLAB_DOWNLOADS`` the folder where downloads arrive.
"""

from IPython import get_ipython

if get_ipython() is not None:
    get_ipython().register_magic_function(
        lambda line: get_ipython().system(f"pip {line}"), magic_kind="line", magic_name="pip"
    )
