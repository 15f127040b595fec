// Runs one command of the server's command line from the current sources. A build that is up to date is used as it is.
// Otherwise this bundles only the server, outside of `dist/`: generating the renderer's types must work before the
// renderer builds. An instance may run for weeks, so `serve` gets a build made by another process.
import './lib/node.mjs'
import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { isStale } from './lib/build.mjs'
import { root } from './lib/node.mjs'
import { ensureBuildApart, runCli } from './lib/run.mjs'

const [command, ...args] = process.argv.slice(2)
if (command === 'serve') ensureBuildApart()
if (isStale()) await runFromSources()
else await runCli(command, args)

async function runFromSources() {
  const { build } = await import('vite')
  // Not a static import: an older Node, which is replaced above, cannot load TypeScript.
  const { serverConfig, workersConfig } = await import('../vite.config.ts')
  const folder = join(root, `node_modules/.cache/deskforge/cli-${process.pid}`)
  process.on('exit', () => rmSync(folder, { recursive: true, force: true }))
  try {
    for (const config of [serverConfig(folder), workersConfig(folder)])
      await build({ ...config, logLevel: 'silent' })
  } catch (error) {
    console.error(error.message)
    process.exit(1)
  }
  const cli = join(folder, 'cli.js')
  process.argv = [process.execPath, cli, ...process.argv.slice(2)]
  await import(cli)
}
