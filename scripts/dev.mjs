// Development: Vite serves the renderer with hot reload, the server restarts when its bundle changes, and Electron, if
// available, shows the same page in a window.
import './lib/node.mjs'
import { spawn } from 'node:child_process'
import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { build, createServer } from 'vite'
import { findElectron, hasDisplay, sandboxFlags } from './lib/electron.mjs'
import { root } from './lib/node.mjs'
import { ensureBuildApart } from './lib/run.mjs'

// Not a static import: an older Node, which is replaced above, cannot load TypeScript.
const { rendererConfig, serverConfig, workersConfig } = await import('../vite.config.ts')

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

const folder = join(root, 'dist/dev/server')
rmSync(folder, { recursive: true, force: true })
const watchers = []
for (const config of [serverConfig(folder), workersConfig(folder)]) {
  // Both builds write into one folder, so none may empty it.
  const options = { ...config.build, emptyOutDir: false, watch: {} }
  const watcher = await build({ ...config, logLevel: 'warn', build: options })
  watchers.push(watcher)
  await new Promise((resolve) => {
    watcher.on('event', (event) => {
      if (event.code === 'ERROR') console.error(event.error.message)
      if (event.code === 'END' && server) void restartServer()
      if (event.code === 'END' || event.code === 'ERROR') resolve()
    })
  })
}
void restartServer()
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
  await Promise.all([
    restarting.then(stopServer),
    page.close(),
    ...watchers.map((watcher) => watcher.close()),
  ])
  process.exit(0)
}
process.once('SIGINT', end)
process.once('SIGTERM', end)
