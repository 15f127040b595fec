// Prints a command of README.md exactly as written there, so that checks run the commands that readers run. A comment
// before a command block marks it: <!-- command: start -->
import './lib/node.mjs'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { root } from './lib/node.mjs'

/** Returns the marked commands of a README by name, with each block's lines joined as a shell would run them. */
export function readmeCommands(text) {
  const blocks = text.matchAll(/<!--\s*command:\s*([a-z-]+)\s*-->\s*```(?:sh|bash|shell)\n([\s\S]*?)\n```/g)
  return Object.fromEntries([...blocks].map(([, name, lines]) => [name, lines.trim()]))
}

if (import.meta.main ?? process.argv[1]?.endsWith('readme-commands.mjs')) {
  const name = process.argv[2] ?? 'start'
  const found = readmeCommands(readFileSync(join(root, 'README.md'), 'utf8'))[name]
  if (found) console.log(found)
  else {
    console.error(`README.md has no block marked "command: ${name}".`)
    process.exitCode = 1
  }
}
