import { resolve } from 'node:path'
import { parseArgs } from 'node:util'

import { text as textOf } from './texts.ts'

/** Thrown if the application cannot start. The message is a sentence for the user. */
export class LaunchError extends Error {}

/** The options of `serve`, from arguments and environment variables. */
export interface ServerLaunch {
  readonly port?: number
  readonly host?: string
  readonly tlsCert?: string
  readonly tlsKey?: string
  readonly rootPassword?: string
  readonly rootToken?: string
  readonly gitPath?: string
  readonly logLevel?: string
  readonly version?: string
}

export interface Launch {
  readonly dataDir: string | undefined
  readonly server: ServerLaunch
  /** The positional arguments: addresses and paths to open. */
  readonly targets: readonly string[]
  /** Whether only the tray icon is shown, because the application was started at login. */
  readonly isHidden: boolean
}

const options = {
  'data-dir': { type: 'string' },
  port: { type: 'string' },
  host: { type: 'string' },
  'tls-cert': { type: 'string' },
  'tls-key': { type: 'string' },
  hidden: { type: 'boolean' },
} as const

function portOf(text: string | undefined): number | undefined {
  if (text === undefined || text === '') return undefined
  const port = /^\d{1,5}$/.test(text) ? Number(text) : Number.NaN
  if (!(port <= 65535)) throw new LaunchError(textOf('start.bad_port', { port: text }))
  return port
}

const parse = (args: readonly string[]) =>
  parseArgs({ args: [...args], options, strict: false, allowPositionals: true })

/** Returns the positional arguments of a second start. */
export function targetsIn(args: readonly string[]): string[] {
  return parse(args).positionals
}

/**
 * Reads the options of the application: those of `serve`, their environment variables, and those of the window.
 * Arguments for Electron or Chromium are ignored. Throws `LaunchError` for an invalid port.
 */
export function readLaunch(args: readonly string[], env: Record<string, string | undefined>): Launch {
  const { values, positionals } = parse(args)
  const text = (value: unknown, variable: string) =>
    (typeof value === 'string' && value) || env[variable] || undefined
  const path = (file: string | undefined) => file && resolve(file)
  return {
    dataDir: text(values['data-dir'], 'DESKFORGE_DATA_DIR'),
    server: {
      port: portOf(text(values.port, 'DESKFORGE_PORT')),
      host: text(values.host, 'DESKFORGE_HOST'),
      tlsCert: path(text(values['tls-cert'], 'DESKFORGE_TLS_CERT')),
      tlsKey: path(text(values['tls-key'], 'DESKFORGE_TLS_KEY')),
      rootPassword: text(undefined, 'DESKFORGE_ROOT_PASSWORD'),
      rootToken: text(undefined, 'DESKFORGE_ROOT_TOKEN'),
      gitPath: text(undefined, 'DESKFORGE_GIT'),
      logLevel: text(undefined, 'DESKFORGE_LOG_LEVEL'),
      version: text(undefined, 'DESKFORGE_VERSION'),
    },
    targets: positionals,
    isHidden: values.hidden === true,
  }
}
