import { createReadStream, existsSync } from 'node:fs'
import { join } from 'node:path'

import type { Context } from 'koa'

import { setObject } from './answer/send.ts'
import { pageSecurity } from './request/guard.ts'

// Without the charset line, the viewer stays blank.
const PAGE = `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8">
    <meta name="viewport" content="width=device-width, initial-scale=1">
    <title>Deskforge API</title>
  </head>
  <body>
    <div id="app"></div>
    <script src="/-/docs/standalone.js"></script>
    <script src="/-/docs/start.js"></script>
  </body>
</html>
`

// All features that call other hosts are turned off. The content security policy stops such calls as well.
const START = `Scalar.createApiReference('#app', {
  url: '/api/v4/openapi.json',
  withDefaultFonts: false,
  proxyUrl: '',
  telemetry: false,
  agent: { disabled: true },
  mcp: { disabled: true },
  hideClientButton: true,
  showDeveloperTools: 'never',
})
`

/** `/-/docs`: the API's documentation, which works offline. */
export function docsPage(ctx: Context): void {
  pageSecurity(ctx)
  ctx.type = 'text/html; charset=utf-8'
  ctx.body = PAGE
}

/** Sends one of the two scripts of the page: `start.js`, or the viewer, which is one bundled file. */
export function docsScript(ctx: Context, assetsDir: string | undefined, name: string): void {
  const file = name === 'standalone.js' && assetsDir ? join(assetsDir, 'standalone.js') : undefined
  ctx.type = 'text/javascript; charset=utf-8'
  if (name === 'start.js') ctx.body = START
  else if (file && existsSync(file)) ctx.body = createReadStream(file)
  else {
    ctx.status = 404
    setObject(ctx, { error: '404 Not Found' })
  }
}
