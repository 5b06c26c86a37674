# Node is part of the image, and the workspaces (its npm packages, and libraries for tests) are not.
# There is no build step: Node runs TypeScript directly.
# For a later patch release, add: --build-arg NODE_VERSION=26.x.y
ARG NODE_VERSION=26.12.1
FROM node:${NODE_VERSION}-bookworm-slim AS packages
WORKDIR /app
COPY package.json package-lock.json ./
RUN npm ci --omit=dev --omit=optional --workspaces=false --ignore-scripts --no-audit --no-fund

FROM node:${NODE_VERSION}-bookworm-slim
WORKDIR /app
COPY --from=packages /app/node_modules ./node_modules
COPY package.json CHANGELOG.md ./
COPY docs ./docs
COPY schema ./schema
COPY src ./src
# The only writable path; with PostgreSQL, nothing is written to it.
RUN install -d -o node -g node /data
VOLUME ["/data"]
ENV NODE_ENV=production
ENV HOST=0.0.0.0
ENV PORT=4000
ENV STORE_URL=sqlite:/data/gateway.db
USER node
EXPOSE 4000
HEALTHCHECK --interval=15s --timeout=5s --start-period=30s --retries=3 \
  CMD ["node", "--eval", "fetch(`http://127.0.0.1:${process.env.PORT}/health`).then(({ ok }) => process.exit(ok ? 0 : 1), () => process.exit(1))"]
# node instead of npm, which does not reliably forward SIGTERM: the container would be killed after
# ten seconds.
CMD ["node", "--max-semi-space-size=16", "--import", "./src/require-node.mjs", "src/main.ts"]
