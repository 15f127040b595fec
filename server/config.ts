import { join } from 'node:path'

import type { Listener } from './http/listener/listener.ts'
import { DEFAULT_HASH_COST, type HashCost } from './lib/security/crypto.ts'
import { StartupError } from './lib/fail.ts'
import { Gate } from './lib/gate.ts'
import type { OwnCertificate } from './lib/net/own-certificate.ts'
import { addressRange } from './lib/net/peer.ts'
import { newRestart, type Restart } from './lib/restart.ts'
import type { StartOptions } from './start-options.ts'

/** The version that clients compare, unless configured (product.md). */
export const DEFAULT_VERSION = '15.11.13-ee'

/** What the instance was started with. Settings that can change while it runs are application settings, not this. */
export interface Config {
  /** Every byte of state lives below this folder. */
  readonly dataDir: string
  readonly host: string
  readonly port: number
  /** The address in every answered URL, without a final slash. */
  readonly url: string
  /** Where programs of this machine reach the instance, whatever stands in front of it. */
  readonly ownUrl: string
  /** What is shown there; undefined where the instance speaks plain HTTP. */
  readonly ownCertificate: OwnCertificate | undefined
  /** Port on which git is served over SSH; undefined where it is not. */
  readonly sshPort: number | undefined
  /** Addresses and ranges of proxies whose word on who asks counts. */
  readonly trustedProxies: readonly string[]
  /** Additional host names that requests may name (behind a reverse proxy). */
  readonly allowedHosts: readonly string[]
  /** `15.11.13-ee` unless configured; clients compare it (product.md). */
  readonly version: string
  readonly revision: string
  /** The built window; undefined for an instance that serves the API alone. */
  readonly rendererDir: string | undefined
  /** Where the offline docs page finds its one script. */
  readonly assetsDir: string | undefined
  /** Test mode: every answer is checked against its declaration. */
  readonly strict: boolean
  readonly hashCost: HashCost
  /** How long the receiver of a webhook or integration has for its whole answer (spec administration 3.7). */
  readonly hookTimeoutMs: number
  /** Addresses to use in place of the one host that a vendor has for everybody, by that host. */
  readonly vendorHosts: Readonly<Record<string, string>>
  /** Impersonation tokens are accepted, and can be made (spec rest-api "Authentication"). */
  readonly impersonation: boolean
  /** Folders for repositories beside `default`, by name; absolute paths. */
  readonly storages: Readonly<Record<string, string>>
  /** Of the git that is used, `2.39.5`. */
  readonly gitVersion: string
  /** Passed by whatever removes stored files; closed while a backup makes its links. */
  readonly removals: Gate
  /** How the instance asks whoever started it to start it again. */
  readonly restart: Restart
}

/** Names in a data folder that the instance gives; what else is there is somebody else's. */
const NAMES =
  /^(deskforge\..*|instance\.(lock|json)|local\.json|restore(\.json)?|before-restore-.*|secrets\.key.*|reserve|logs|backups|repositories|storages|uploads|secure_files|artifacts|lfs|imports|exports|tmp|ssh|git|cache|window|built_in_runner|\..*)$/

/** True for a name in a data folder that is the instance's own. */
export function isOfDataDir(name: string): boolean {
  return NAMES.test(name)
}

/** The folders of a data directory. */
export function dataPaths(dataDir: string) {
  return {
    database: join(dataDir, 'deskforge.db'),
    /** A file of no use, removed by a start that finds the disk full. */
    reserve: join(dataDir, 'reserve'),
    logs: join(dataDir, 'logs'),
    backups: join(dataDir, 'backups'),
    /** The storage named `default`. */
    repositories: join(dataDir, 'repositories'),
    /** Avatars and files attached to texts. */
    uploads: join(dataDir, 'uploads'),
    /** Files that only jobs need, sealed. */
    secureFiles: join(dataDir, 'secure_files'),
    /** What jobs left: archives, reports, logs. */
    artifacts: join(dataDir, 'artifacts'),
    /** Large files of git, by their digest. */
    lfs: join(dataDir, 'lfs'),
    /** Archives that are being imported. */
    imports: join(dataDir, 'imports'),
    /** Uploads that are still arriving; emptied at start. */
    tmp: join(dataDir, 'tmp'),
    /** Keys by which SSH clients know the instance again. */
    ssh: join(dataDir, 'ssh'),
    /** The key of what the database keeps sealed; without it those values are lost. */
    secretKey: join(dataDir, 'secrets.key'),
    /** Home of git and its hooks. */
    git: join(dataDir, 'git'),
    /** A copy of the certificate that is served, for git and the command line. */
    ownCertificate: join(dataDir, 'git', 'own-certificate.pem'),
  }
}

/** The address that people use; undefined where it is our own. Throws a sentence for what is none. */
export function outsideUrl({ url }: StartOptions): string | undefined {
  if (!url) return undefined
  const parsed = URL.parse(url)
  const isPlain = parsed && /^https?:$/.test(parsed.protocol) && parsed.pathname === '/' && !parsed.username
  if (!isPlain || parsed.search || parsed.hash)
    throw new StartupError(`The address must be like https://forge.example.com, not "${url}".`)
  return parsed.origin
}

function trustedProxies({ trustedProxies: given = [] }: StartOptions): readonly string[] {
  const wrong = given.find((one) => addressRange(one) === undefined)
  if (wrong !== undefined)
    throw new StartupError(`"${wrong}" is no address of a proxy, and no range like 10.0.0.0/8.`)
  return given
}

/** What an instance was started with, and what came of it. Throws a sentence for what cannot be. */
export function configOf(
  options: StartOptions,
  listener: Pick<Listener, 'url' | 'port' | 'certificate'>,
  found: Pick<Config, 'sshPort' | 'gitVersion'>,
): Config {
  return {
    ...found,
    dataDir: options.dataDir,
    host: options.host ?? '127.0.0.1',
    port: listener.port,
    url: outsideUrl(options) ?? listener.url,
    ownUrl: listener.url,
    ownCertificate: listener.certificate,
    trustedProxies: trustedProxies(options),
    allowedHosts: options.allowedHosts ?? [],
    version: options.version ?? DEFAULT_VERSION,
    revision: options.revision ?? 'unknown',
    rendererDir: options.rendererDir,
    assetsDir: options.assetsDir,
    strict: options.strict ?? false,
    hashCost: options.hashCost ?? DEFAULT_HASH_COST,
    hookTimeoutMs: options.hookTimeoutMs ?? 10_000,
    vendorHosts: options.vendorHosts ?? {},
    storages: options.storages ?? {},
    impersonation: options.impersonation ?? true,
    removals: new Gate(),
    restart: newRestart(),
  }
}
