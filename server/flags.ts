import { existsSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'

import { defaultDataDir } from './data-dir.ts'
import { StartupError } from './lib/fail.ts'
import type { StartOptions } from './start-options.ts'

const here = dirname(fileURLToPath(import.meta.url))

/** The options of all commands. */
export const OPTIONS = {
  'data-dir': { type: 'string' },
  port: { type: 'string' },
  'ssh-port': { type: 'string' },
  host: { type: 'string' },
  storage: { type: 'string', multiple: true },
  'tls-cert': { type: 'string' },
  'tls-key': { type: 'string' },
  url: { type: 'string' },
  'trusted-proxy': { type: 'string', multiple: true },
  events: { type: 'boolean' },
  to: { type: 'string' },
  'passphrase-file': { type: 'string' },
  list: { type: 'boolean' },
  verify: { type: 'string' },
  force: { type: 'boolean' },
  deep: { type: 'boolean' },
  repair: { type: 'boolean' },
  json: { type: 'boolean' },
  ephemeral: { type: 'boolean' },
  clock: { type: 'string' },
  world: { type: 'string' },
  token: { type: 'string' },
  real: { type: 'boolean' },
  replace: { type: 'boolean' },
  project: { type: 'string', multiple: true },
  group: { type: 'string', multiple: true },
  help: { type: 'boolean', short: 'h' },
} as const

/** The options of one command line. */
export type Flags = {
  [Name in Exclude<keyof typeof OPTIONS, 'storage' | 'trusted-proxy' | 'project' | 'group'>]?:
    | string
    | boolean
} & {
  storage?: string[]
  'trusted-proxy'?: string[]
  project?: string[]
  group?: string[]
}

function portOf(text: string | undefined): number | undefined {
  if (text === undefined || text === '') return undefined
  const port = Number(text)
  if (!/^\d{1,5}$/.test(text) || port > 65_535)
    throw new StartupError(`The port must be a number from 0 to 65535, not "${text}".`)
  return port
}

function isOn(text: string): boolean {
  return !/^(0|false|no|off)$/i.test(text.trim())
}

/**
 * Reads start options from the command line and the environment; the command line takes precedence. Throws
 * `StartupError`.
 */
export function startOptions(flags: Flags): StartOptions {
  const { env } = process
  const optionOf = (flag: keyof typeof flags, variable: string): string | undefined =>
    (flags[flag] as string | undefined) ?? env[variable]
  const port = portOf(optionOf('port', 'DESKFORGE_PORT'))
  const sshPort = portOf(optionOf('ssh-port', 'DESKFORGE_SSH_PORT'))
  const startAt = flags.clock as string | undefined
  const host = optionOf('host', 'DESKFORGE_HOST')
  const url = optionOf('url', 'DESKFORGE_URL')
  const tlsCert = optionOf('tls-cert', 'DESKFORGE_TLS_CERT')
  const tlsKey = optionOf('tls-key', 'DESKFORGE_TLS_KEY')
  const rendererDir = join(here, '..', 'renderer')
  return {
    dataDir: resolve(
      (flags['data-dir'] as string | undefined) || env['DESKFORGE_DATA_DIR'] || defaultDataDir(),
    ),
    ...(port === undefined ? {} : { port }),
    ...(sshPort === undefined ? {} : { sshPort }),
    ...(host ? { host } : {}),
    ...(startAt === undefined ? {} : { startAt }),
    ...(env['DESKFORGE_ROOT_PASSWORD'] ? { rootPassword: env['DESKFORGE_ROOT_PASSWORD'] } : {}),
    ...(env['DESKFORGE_ROOT_TOKEN'] ? { rootToken: env['DESKFORGE_ROOT_TOKEN'] } : {}),
    ...(env['DESKFORGE_GIT'] ? { gitPath: env['DESKFORGE_GIT'] } : {}),
    ...(env['DESKFORGE_LOG_LEVEL'] ? { logLevel: env['DESKFORGE_LOG_LEVEL'] } : {}),
    ...(env['DESKFORGE_VERSION'] ? { version: env['DESKFORGE_VERSION'] } : {}),
    ...(env['DESKFORGE_IMPERSONATION'] ? { impersonation: isOn(env['DESKFORGE_IMPERSONATION']) } : {}),
    ...(url ? { url } : {}),
    ...(tlsCert ? { tlsCert: resolve(tlsCert) } : {}),
    ...(tlsKey ? { tlsKey: resolve(tlsKey) } : {}),
    trustedProxies: [env['DESKFORGE_TRUSTED_PROXIES'] ?? '', ...(flags['trusted-proxy'] ?? [])]
      .flatMap((entry) => entry.split(','))
      .map((entry) => entry.trim())
      .filter((entry) => entry !== ''),
    allowedHosts: (env['DESKFORGE_ALLOWED_HOSTS'] ?? '')
      .split(',')
      .map((name) => name.trim().toLowerCase())
      .filter((name) => name !== ''),
    ...(existsSync(rendererDir) ? { rendererDir } : {}),
    vendorHosts: parseVendorHosts(env['DESKFORGE_VENDOR_HOSTS'] ?? ''),
    storages: parseStorages(flags.storage ?? [], env['DESKFORGE_STORAGES'] ?? ''),
    assetsDir: join(here, 'assets'),
  }
}

/**
 * Parses `--storage fast=/mnt/ssd/repositories`, which may be repeated, and the variable
 * `DESKFORGE_STORAGES=fast=/mnt/ssd,big=/mnt/disk`.
 */
function parseStorages(flags: readonly string[], text: string): Record<string, string> {
  const entries = [...text.split(','), ...flags].map((entry) => entry.trim()).filter((entry) => entry !== '')
  const pairs = entries.map((entry): [string, string] => {
    const at = entry.indexOf('=')
    const [name, dir] = [entry.slice(0, Math.max(at, 0)).trim(), entry.slice(at + 1).trim()]
    if (!/^[A-Za-z0-9_.-]{1,64}$/.test(name) || name === 'default' || dir === '')
      throw new StartupError(`"${entry}" must have the form NAME=FOLDER.`)
    return [name, resolve(dir)]
  })
  return Object.fromEntries(pairs)
}

/** Parses `DESKFORGE_VENDOR_HOSTS=api.pushover.net=https://gateway.example.com/pushover,…`. */
function parseVendorHosts(text: string): Record<string, string> {
  const pairs = text.split(',').flatMap((entry): [string, string][] => {
    const [host = '', url = ''] = entry.split('=', 2).map((part) => part.trim())
    if (host === '' && url === '') return []
    if (!URL.canParse(url)) throw new StartupError(`"${entry.trim()}" must have the form HOST=URL.`)
    return [[host, url]]
  })
  return Object.fromEntries(pairs)
}
