import { execFile } from 'node:child_process'
import { chmodSync, existsSync, mkdirSync, writeFileSync } from 'node:fs'
import { delimiter, dirname, join } from 'node:path'

import { cli } from '../../support/server-process.ts'
import { expect, owner, type Instance } from './instance.ts'

/** The values for the placeholders in the examples of the guide. */
export const examples = (instance: Instance, project: string): Record<string, string> => ({
  'http://127.0.0.1:7080': instance.url,
  '127.0.0.1:7080': new URL(instance.url).host,
  'USER/PROJECT': project,
})

export interface ShellOptions {
  readonly env?: Readonly<Record<string, string>>
  /** The answers to git's questions; without them, git gets none and fails. */
  readonly login?: { readonly username: string; readonly password: string }
  /** The folder of the commands; by default that of the walk. */
  readonly cwd?: string
}

export interface Shell {
  /** A folder of the walk, which contains the home folder. */
  readonly folder: string
  /** The folder of the installed command line. */
  readonly bin: string
  /** Runs commands in a shell and returns their output. */
  run(script: string, options?: ShellOptions): Promise<string>
  /** Runs commands that must fail, and returns their output with messages. */
  refused(script: string, options?: ShellOptions): Promise<string>
}

const ASKPASS = `#!/bin/sh
case "$1" in Username*) echo "$WALK_USERNAME" ;; *) echo "$WALK_PASSWORD" ;; esac
`

const executable = (file: string, text: string) => {
  writeFileSync(file, text)
  chmodSync(file, 0o755)
}

/** A terminal for an instance, with its own home folder and the installed command line. */
export function shellOf(dataDir: string): Shell {
  const folder = join(dirname(dataDir), 'terminal')
  const [home, bin, askpass] = [join(folder, 'home'), join(folder, 'bin'), join(folder, 'askpass')]
  for (const dir of [home, bin]) mkdirSync(dir, { recursive: true })
  executable(join(bin, 'deskforge'), `#!/bin/sh\nexec '${process.execPath}' '${cli}' "$@"\n`)
  executable(askpass, ASKPASS)
  const start = (script: string, { env, login, cwd = folder }: ShellOptions) => {
    const environment = {
      PATH: [bin, process.env['PATH']].join(delimiter),
      HOME: home,
      XDG_CONFIG_HOME: join(home, '.config'),
      XDG_CACHE_HOME: join(home, '.cache'),
      GIT_CONFIG_NOSYSTEM: '1',
      GIT_TERMINAL_PROMPT: '0',
      GIT_AUTHOR_NAME: 'Mara Lindqvist',
      GIT_AUTHOR_EMAIL: 'mara@saltmarsh.test',
      GIT_COMMITTER_NAME: 'Mara Lindqvist',
      GIT_COMMITTER_EMAIL: 'mara@saltmarsh.test',
      ...(login
        ? { GIT_ASKPASS: askpass, WALK_USERNAME: login.username, WALK_PASSWORD: login.password }
        : {}),
      ...env,
    }
    return new Promise<{ code: number; stdout: string; all: string }>((resolve) => {
      const child = execFile('sh', ['-ec', script], { cwd, env: environment }, (error, stdout, stderr) =>
        resolve({ code: error ? Number(error.code ?? 1) : 0, stdout, all: stdout + stderr }),
      )
      child.stdin?.end()
    })
  }
  return {
    folder,
    bin,
    run: async (script, options = {}) => {
      const { code, stdout, all } = await start(script, options)
      expect(code, `${script}\n${all}`).toBe(0)
      return stdout
    },
    refused: async (script, options = {}) => {
      const { code, all } = await start(script, options)
      expect(code, `${script}\n${all}`).not.toBe(0)
      return all
    },
  }
}

/** The path of a client program, in the PATH or the folders of `DESKFORGE_TEST_CLIENTS`. */
export function findClient(name: string): string | undefined {
  const folders = [process.env['DESKFORGE_TEST_CLIENTS'], process.env['PATH']]
    .join(delimiter)
    .split(delimiter)
  return folders.map((folder) => join(folder, name)).find((file) => file !== name && existsSync(file))
}

/** The credentials of the owner for git. */
export const login = { username: owner.username, password: owner.token }
