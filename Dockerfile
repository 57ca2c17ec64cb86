# docker build -t gainful . && docker run --rm -v "$PWD:/data" gainful eval qrels.txt run.txt
FROM python:3.13-slim AS build
COPY pyproject.toml README.md LICENSE /src/
COPY src /src/src
COPY tools/metadata.py /src/tools/
RUN python -m venv /opt/gainful && /opt/gainful/bin/pip install --no-cache-dir /src

FROM python:3.13-slim
COPY --from=build /opt/gainful /opt/gainful
ENV PATH="/opt/gainful/bin:$PATH"
RUN useradd --create-home gainful
USER gainful
WORKDIR /data
ENTRYPOINT ["gainful"]
