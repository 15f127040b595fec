// Development: Vite serves the renderer with hot reload, the server restarts when its bundle changes, and Electron, if
// available, shows the same page in a window.
import './lib/node.mjs'
import { spawn } from 'node:child_process'
import { join } from 'node:path'
import { build, createServer } from 'vite'
import { findElectron, hasDisplay, sandboxFlags } from './lib/electron.mjs'
import { root } from './lib/node.mjs'
import { ensureBuildApart } from './lib/run.mjs'

// Not a static import: an older Node, which is replaced above, cannot load TypeScript.
const { rendererConfig, serverConfig } = await import('../vite.config.ts')

const cli = join(root, 'dist/dev/server/cli.js')
let server
let restarting = Promise.resolve()
let ending = false

function stopServer() {
  if (!server || server.exitCode !== null) return Promise.resolve()
  const ended = new Promise((resolve) => server.once('exit', resolve))
  server.kill('SIGTERM')
  return ended
}

function restartServer() {
  restarting = restarting.then(stopServer).then(() => {
    if (!ending)
      server = spawn(process.execPath, [cli, 'serve', ...process.argv.slice(2)], { stdio: 'inherit' })
  })
  return restarting
}

const config = serverConfig(join(root, 'dist/dev/server'))
const watcher = await build({ ...config, logLevel: 'warn', build: { ...config.build, watch: {} } })
watcher.on('event', (event) => {
  if (event.code === 'END') void restartServer()
  if (event.code === 'ERROR') console.error(event.error.message)
})
const page = await createServer(rendererConfig())
await page.listen()
page.printUrls()

const electron = findElectron()
if (electron && hasDisplay()) {
  ensureBuildApart()
  const env = { ...process.env, DESKFORGE_DEV_URL: page.resolvedUrls.local[0] }
  spawn(electron, [...sandboxFlags(), join(root, 'dist/electron/main.js')], { stdio: 'inherit', env })
}

async function end() {
  ending = true
  await Promise.all([restarting.then(stopServer), page.close(), watcher.close()])
  process.exit(0)
}
process.once('SIGINT', end)
process.once('SIGTERM', end)
