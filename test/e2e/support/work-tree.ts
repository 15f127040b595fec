import { execFile } from 'node:child_process'
import { mkdir, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'

import { owner, type Instance } from './instance.ts'

const run = promisify(execFile)

/** Ignores the git configuration of this machine and prompts, so that pushes are the same everywhere. */
const environment = {
  PATH: process.env['PATH'],
  HOME: '/nonexistent',
  GIT_CONFIG_GLOBAL: '/dev/null',
  GIT_CONFIG_NOSYSTEM: '1',
  GIT_TERMINAL_PROMPT: '0',
  GIT_AUTHOR_NAME: 'Mara Lindqvist',
  GIT_AUTHOR_EMAIL: 'mara@saltmarsh.test',
  GIT_COMMITTER_NAME: 'Mara Lindqvist',
  GIT_COMMITTER_EMAIL: 'mara@saltmarsh.test',
}

export interface CommitOptions {
  /** The author date; the current time by default. */
  readonly at?: Date
  readonly author?: string
}

/** A working copy, as on the computer of a user. */
export interface WorkTree {
  readonly folder: string
  /** Runs git in it and returns its output. */
  git(...args: string[]): Promise<string>
  /** Writes files and commits everything. Returns the commit ID. */
  commit(message: string, files: Readonly<Record<string, string>>, options?: CommitOptions): Promise<string>
  push(...refs: string[]): Promise<void>
}

/** The git URL of a project with the owner's token, so that git needs no prompt. */
export function pushAddress(instance: Instance, fullPath: string): string {
  const url = new URL(`${instance.url}/${fullPath}.git`)
  url.username = owner.username
  url.password = owner.token
  return url.href
}

/** A new repository next to the data of the instance, with the project as its remote. */
export async function workTree(instance: Instance, fullPath: string): Promise<WorkTree> {
  const folder = join(dirname(instance.dataDir), 'work', fullPath)
  await mkdir(folder, { recursive: true })
  const start = async (args: readonly string[], extra: Record<string, string> = {}) => {
    const { stdout } = await run('git', args, { cwd: folder, env: { ...environment, ...extra } })
    return stdout.trim()
  }
  const git: WorkTree['git'] = (...args) => start(args)
  await git('init', '--quiet', '--initial-branch=main')
  await git('remote', 'add', 'origin', pushAddress(instance, fullPath))
  return {
    folder,
    git,
    commit: async (message, files, { at, author } = {}) => {
      for (const [path, text] of Object.entries(files)) {
        await mkdir(dirname(join(folder, path)), { recursive: true })
        await writeFile(join(folder, path), text)
      }
      const when: Record<string, string> = at
        ? { GIT_AUTHOR_DATE: at.toISOString(), GIT_COMMITTER_DATE: at.toISOString() }
        : {}
      const who: Record<string, string> = author
        ? { GIT_AUTHOR_NAME: author, GIT_COMMITTER_NAME: author }
        : {}
      await git('add', '--all')
      await start(['commit', '--quiet', '--allow-empty', '-m', message], { ...when, ...who })
      return git('rev-parse', 'HEAD')
    },
    push: async (...refs) => {
      await git('push', '--quiet', 'origin', ...refs)
    },
  }
}
