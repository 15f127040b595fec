import { chmod, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import path from 'node:path'
import type { SshSetup } from './remote.ts'

/** What `ssh` needs for one remote. */
export interface SshTarget {
  /** Folder for temporary files, which are removed afterwards. */
  readonly folder: string
  /** Name under which the remote's key is stored. */
  readonly host: string
  /** The address to connect to, as the guard of outgoing requests resolved it. */
  readonly address: string
  /** In the OpenSSH format; without it the password is used. */
  readonly privateKey: string | null
  readonly password: string | null
  /** Known keys of the remote. Null: its key is accepted and passed to `pin`. */
  readonly knownHosts: string | null
  pin(lines: string): void
}

const CONNECT_SECONDS = 30

/**
 * Runs `work` with an SSH configuration that ignores this user's own keys, agents, files and proxies. It connects to
 * the given address, checks the remote's key, and offers one key or one password.
 */
export async function withSsh<T>(target: SshTarget, work: (setup: SshSetup) => Promise<T>): Promise<T> {
  const folder = await mkdtemp(path.join(target.folder, 'ssh-'))
  const hosts = path.join(folder, 'known_hosts')
  try {
    await writeFile(hosts, target.knownHosts ?? '', { mode: 0o600 })
    const env = await writeFiles(folder, target)
    return await work({ env })
  } finally {
    const seen = await readFile(hosts, 'utf8').catch(() => '')
    if (seen !== '' && seen !== target.knownHosts) target.pin(seen)
    await rm(folder, { recursive: true, force: true, maxRetries: 5 })
  }
}

/** Writes the files and returns the environment for git. */
async function writeFiles(folder: string, target: SshTarget): Promise<Record<string, string>> {
  const config = path.join(folder, 'config')
  const key = path.join(folder, 'key')
  if (target.privateKey !== null) await writeFile(key, target.privateKey, { mode: 0o600 })
  await writeFile(config, configText(folder, target), { mode: 0o600 })
  const env = { GIT_SSH_COMMAND: `ssh -F '${config.replaceAll("'", `'\\''`)}'`, GIT_SSH_VARIANT: 'ssh' }
  if (target.privateKey !== null || target.password === null) return env
  const ask = path.join(folder, 'ask')
  await writeFile(ask, `#!/bin/sh\nprintf '%s\\n' "$REMOTE_PASSWORD"\n`)
  await chmod(ask, 0o700)
  return {
    ...env,
    SSH_ASKPASS: ask,
    SSH_ASKPASS_REQUIRE: 'force',
    DISPLAY: ':0',
    REMOTE_PASSWORD: target.password,
  }
}

function configText(folder: string, { address, host, privateKey, knownHosts }: SshTarget): string {
  // ssh expands percent signs.
  const file = (name: string) => `"${path.join(folder, name).replaceAll('\\', '/').replaceAll('%', '%%')}"`
  const proof =
    privateKey === null
      ? ['PreferredAuthentications password,keyboard-interactive', 'PubkeyAuthentication no']
      : [
          'BatchMode yes',
          'PreferredAuthentications publickey',
          `IdentityFile ${file('key')}`,
          'IdentitiesOnly yes',
        ]
  return [
    'Host *',
    `HostName ${address}`,
    `HostKeyAlias ${host}`,
    `UserKnownHostsFile ${file('known_hosts')}`,
    'GlobalKnownHostsFile /dev/null',
    `StrictHostKeyChecking ${knownHosts === null ? 'accept-new' : 'yes'}`,
    'HashKnownHosts no',
    'CheckHostIP no',
    'UpdateHostKeys no',
    'IdentityAgent none',
    'NumberOfPasswordPrompts 1',
    'ProxyCommand none',
    'ClearAllForwardings yes',
    'ControlMaster no',
    'ControlPath none',
    'PermitLocalCommand no',
    `ConnectTimeout ${CONNECT_SECONDS}`,
    'ServerAliveInterval 20',
    'ServerAliveCountMax 6',
    'LogLevel ERROR',
    ...proof,
    '',
  ].join('\n  ')
}
