import { chmod, mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

import { quoted } from './script.ts'
import { writeScript, type Workspace } from './workspace.ts'

const NAME = 'release-cli'
const isSource = import.meta.url.endsWith('.ts')
/** Bundles lie flat beside each other. */
const PROGRAM = fileURLToPath(
  new URL(isSource ? '../release_cli/release-cli.worker.ts' : './release-cli.worker.js', import.meta.url),
)

/**
 * Makes a folder of programs that jobs may need and machines often lack, for the end of `PATH`, so that the machine's own
 * come first. `instance` is the address of the instance, `certificate` the file of what it shows there. The runtime is the one that we run in; what a job says about it
 * is meant for another one.
 */
export async function addPrograms(workspace: Workspace, instance: string, certificate = ''): Promise<string> {
  const folder = join(workspace.root, 'bin')
  await mkdir(folder, { recursive: true, mode: 0o700 })
  const start = ['exec', process.execPath, PROGRAM, instance, certificate].map((word, at) =>
    at === 0 ? word : quoted(word),
  )
  const lines = ['#!/bin/sh', 'unset NODE_OPTIONS', 'ELECTRON_RUN_AS_NODE=1', 'export ELECTRON_RUN_AS_NODE']
  const text = `${[...lines, `${start.join(' ')} "$@"`].join('\n')}\n`
  await chmod(await writeScript(workspace, join('bin', NAME), text), 0o700)
  return folder
}
