import { chmod, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import path from 'node:path'
import type { SshSetup } from './remote.ts'

/** The host, the keys and the credentials for an SSH connection to one remote. */
export interface SshTarget {
  /** The folder for temporary files, which are removed afterwards. */
  readonly folder: string
  /** The name under which the remote's host key is stored. */
  readonly host: string
  /** The address to connect to, as the guard of outgoing requests resolved it. */
  readonly address: string
  /** A private key in the OpenSSH format; null to use the password. */
  readonly privateKey: string | null
  readonly password: string | null
  /** The known host keys of the remote. If it is null, any key is accepted and passed to `pin`. */
  readonly knownHosts: string | null
  /** Stores the host keys that were accepted, in the format of `known_hosts`. */
  pin(lines: string): void
}

const CONNECT_SECONDS = 30

/**
 * Runs `work` with an SSH configuration that ignores the keys, agents, files and proxies of the system user. It connects
 * to `address`, checks the remote's host key, and authenticates with one key or one password.
 */
export async function withSsh<T>(target: SshTarget, work: (setup: SshSetup) => Promise<T>): Promise<T> {
  const folder = await mkdtemp(path.join(target.folder, 'ssh-'))
  const hosts = path.join(folder, 'known_hosts')
  try {
    await writeFile(hosts, target.knownHosts ?? '', { mode: 0o600 })
    const env = await writeFiles(folder, target)
    return await work({ env })
  } finally {
    const accepted = await readFile(hosts, 'utf8').catch(() => '')
    if (accepted !== '' && accepted !== target.knownHosts) target.pin(accepted)
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
  const authentication =
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
    ...authentication,
    '',
  ].join('\n  ')
}
