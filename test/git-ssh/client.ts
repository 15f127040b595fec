import { execFile, spawnSync } from 'node:child_process'
import { chmodSync, mkdtempSync, readFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'

import { client } from '../support/git.ts'
import { isPossible } from '../support/possible.ts'

const has = (program: string, ...args: string[]) => spawnSync(program, args).error === undefined

/** Whether this machine has the programs of OpenSSH. */
export const hasSsh = isPossible(
  process.platform !== 'win32' && has('ssh', '-V') && has('ssh-keygen', '-?'),
  'git over SSH needs ssh and ssh-keygen on the PATH',
)

/** A key pair in files, as ssh requires. */
export interface KeyFile {
  readonly file: string
  readonly line: string
}

/** Makes a key pair with ssh-keygen. */
export function keyFile(...options: string[]): KeyFile {
  const file = join(mkdtempSync(join(tmpdir(), 'ssh-test-')), 'id')
  const type = options.length === 0 ? ['-t', 'ed25519'] : options
  const made = spawnSync('ssh-keygen', ['-q', '-N', '', '-C', 'somebody@somewhere', '-f', file, ...type])
  if (made.status !== 0) throw new Error(made.stderr.toString())
  chmodSync(file, 0o600)
  return { file, line: readFileSync(`${file}.pub`, 'utf8').trim() }
}

const OPTIONS = [
  'StrictHostKeyChecking=no',
  'UserKnownHostsFile=/dev/null',
  'IdentitiesOnly=yes',
  'IdentityAgent=none',
  'PasswordAuthentication=no',
  'LogLevel=ERROR',
].flatMap((option) => ['-o', option])

/** The ssh command line with a key, without the configuration of this machine. */
function sshWords(key: KeyFile | undefined): string[] {
  return ['-F', 'none', ...OPTIONS, ...(key ? ['-i', key.file] : ['-o', 'PubkeyAuthentication=no'])]
}

/** Runs git with a key. */
export const gitWith = (key: KeyFile | undefined, folder: string, ...args: string[]) =>
  client(folder, args, { GIT_SSH_COMMAND: ['ssh', ...sshWords(key)].join(' ') })

/** Runs ssh itself with a key. */
export async function ssh(key: KeyFile | undefined, port: number, ...args: string[]) {
  const words = [...sshWords(key), '-p', String(port), ...args]
  const env = { PATH: process.env['PATH'] ?? '', HOME: '/nonexistent', LANG: 'C.UTF-8', SECRET: 'x' }
  try {
    return { code: 0, ...(await promisify(execFile)('ssh', words, { env, timeout: 20_000 })) }
  } catch (error) {
    const failed = error as { code?: number; stdout?: string; stderr?: string }
    return { code: failed.code ?? -1, stdout: failed.stdout ?? '', stderr: failed.stderr ?? '' }
  }
}
