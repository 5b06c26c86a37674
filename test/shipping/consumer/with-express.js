import express from 'express';

export function serveWithExpress(gateway) {
  const app = express();
  app.use('/rdap', gateway.handle); // before body parsers such as express.json()
  app.use(express.json());
  return app;
}
