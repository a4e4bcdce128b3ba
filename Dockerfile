# Hub and worker in one image; which one runs is the command's first word.
FROM node:22.18.0-bookworm-slim AS build
WORKDIR /build
RUN apt-get update && apt-get install --yes --no-install-recommends python3 make g++ && rm -rf /var/lib/apt/lists/*
COPY package.json package-lock.json ./
RUN npm ci --ignore-scripts && npm rebuild better-sqlite3
COPY . .
RUN npm run build && npm prune --omit=dev --ignore-scripts

FROM node:22.18.0-bookworm-slim
RUN apt-get update \
  && apt-get install --yes --no-install-recommends bubblewrap ca-certificates git openssh-client \
  && rm -rf /var/lib/apt/lists/*
WORKDIR /app
COPY --from=build /build/package.json ./
COPY --from=build /build/node_modules ./node_modules
COPY --from=build /build/dist ./dist
COPY --from=build /build/config ./config
RUN mkdir -p /data && chown node:node /data
USER node
ENV SIDECAR_STATE_DIR=/data/state SIDECAR_DATA_DIR=/data/data
VOLUME /data
# `run`, `start` and `hub` end in order on SIGTERM, so no init process is needed in between.
ENTRYPOINT ["node", "/app/dist/cli.js"]
CMD ["--help"]
