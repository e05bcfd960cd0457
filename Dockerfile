# The image for `plaincourse autograde --container docker`: docker build -t plainformer:latest .
FROM python:3.11-slim
RUN apt-get update \
    && apt-get install -y --no-install-recommends libseccomp2 \
    && rm -rf /var/lib/apt/lists/*
COPY . /opt/plainformer
RUN python -m pip install --no-cache-dir -r /opt/plainformer/requirements.lock \
    && python -m pip install --no-cache-dir --no-deps /opt/plainformer
