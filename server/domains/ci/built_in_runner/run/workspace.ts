import { chmod, mkdir, readdir, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { quoted } from './shell.ts'
import { fileURLToPath } from 'node:url'

/** The folders of one job. They are deleted after the job. */
export interface Workspace {
  readonly root: string
  /** The folder of the project's code, in which the scripts run. */
  readonly project: string
  readonly home: string
  readonly tmp: string
  /** The folder of variables of type `file`. */
  readonly files: string
}

/** Creates the folders of a job below `builds`. */
export async function makeWorkspace(builds: string, name: string): Promise<Workspace> {
  const root = join(builds, name)
  const workspace = {
    root,
    project: join(root, 'project'),
    home: join(root, 'home'),
    tmp: join(root, 'tmp'),
    files: join(root, 'files'),
  }
  await rm(root, { recursive: true, force: true })
  for (const dir of [workspace.project, workspace.home, workspace.tmp])
    await mkdir(dir, { recursive: true, mode: 0o700 })
  return workspace
}

/** Deletes the folders. If that fails, it makes them writable first, because some tools write-protect their caches. */
export async function removeWorkspace({ root }: Pick<Workspace, 'root'>): Promise<void> {
  const remove = (): Promise<void> =>
    rm(root, { recursive: true, force: true, maxRetries: 3, retryDelay: 100 })
  try {
    await remove()
  } catch {
    await makeWritable(root)
    await remove()
  }
}

/** Gives the owner all permissions in a folder, without following links. */
async function makeWritable(folder: string): Promise<void> {
  await chmod(folder, 0o700)
  for (const entry of await readdir(folder, { withFileTypes: true }))
    if (entry.isDirectory()) await makeWritable(join(folder, entry.name))
}

/** Writes a script into the folder of a job and returns its path. */
export async function writeScript({ root }: Workspace, name: string, text: string): Promise<string> {
  const file = join(root, name)
  await writeFile(file, text, { mode: 0o600 })
  return file
}

const NAME = 'release-cli'
const isSource = import.meta.url.endsWith('.ts')

/** The path of the program. A build puts all worker files into one folder. */
const PROGRAM = fileURLToPath(
  new URL(isSource ? '../release_cli/release-cli.worker.ts' : './release-cli.worker.js', import.meta.url),
)

/**
 * Creates a folder with programs that machines often lack, and returns its path. It belongs at the end of `PATH`, so that
 * the machine's own programs take precedence. `instance` is the address of the instance, `certificate` the file of its
 * certificate. The programs run in the Node of the instance, without the Node variables of the job.
 */
export async function addPrograms(workspace: Workspace, instance: string, certificate = ''): Promise<string> {
  const folder = join(workspace.root, 'bin')
  await mkdir(folder, { recursive: true, mode: 0o700 })
  const command = [process.execPath, PROGRAM, instance, certificate].map(quoted).join(' ')
  const lines = ['#!/bin/sh', 'unset NODE_OPTIONS', 'ELECTRON_RUN_AS_NODE=1', 'export ELECTRON_RUN_AS_NODE']
  const text = `${[...lines, `exec ${command} "$@"`].join('\n')}\n`
  await chmod(await writeScript(workspace, join('bin', NAME), text), 0o700)
  return folder
}
