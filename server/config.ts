import { join } from 'node:path'

import type { Listener } from './http/listener/listener.ts'
import { DEFAULT_HASH_COST, type HashCost } from './lib/security/crypto.ts'
import { StartupError } from './lib/fail.ts'
import type { Gate } from './lib/gate.ts'
import type { OwnCertificate } from './lib/net/own-certificate.ts'
import { addressRange } from './lib/net/peer.ts'
import type { StartOptions } from './start-options.ts'

/** A request of the instance to be restarted. */
interface Restart {
  readonly requested: Promise<void>
  request(): void
}

function newRestart(): Restart {
  const { promise, resolve } = Promise.withResolvers<void>()
  return { requested: promise, request: () => resolve() }
}

/** The default of `Config.version` (product.md). */
export const DEFAULT_VERSION = '15.11.13-ee'

/**
 * The configuration of the instance, from its start options. Settings that can change while it runs are application
 * settings.
 */
export interface Config {
  /** The folder of all data. */
  readonly dataDir: string
  readonly host: string
  readonly port: number
  /** The base address of all URLs in answers, without a final slash. */
  readonly url: string
  /** The address for programs on this machine, which do not use the proxy. */
  readonly ownUrl: string
  /** The certificate at that address; undefined for plain HTTP. */
  readonly ownCertificate: OwnCertificate | undefined
  /** The port on which git is served over SSH; undefined if it is not served. */
  readonly sshPort: number | undefined
  /** Addresses and ranges of trusted proxies. */
  readonly trustedProxies: readonly string[]
  /** Additional host names that the `Host` header of requests may contain (behind a reverse proxy). */
  readonly allowedHosts: readonly string[]
  /** The version that the API reports, `15.11.13-ee` by default. Clients compare it with the version that they need. */
  readonly version: string
  readonly revision: string
  /** The built window; undefined for an instance that serves the API alone. */
  readonly rendererDir: string | undefined
  /** The folder with the script of the API documentation page, which works offline. */
  readonly assetsDir: string | undefined
  /** Test mode: every answer is checked against its declaration. */
  readonly strict: boolean
  readonly hashCost: HashCost
  /** Time limit for the whole answer of a webhook or integration (spec administration 3.7). */
  readonly hookTimeoutMs: number
  /** Gateways to use in place of vendors' hosts, by host. */
  readonly vendorHosts: Readonly<Record<string, string>>
  /** True when impersonation tokens can be created and used (spec rest-api "Authentication"). */
  readonly impersonation: boolean
  /** Folders of storages other than `default`, by name; absolute paths. */
  readonly storages: Readonly<Record<string, string>>
  /** Version of the git in use, such as `2.39.5`. */
  readonly gitVersion: string
  /** Every removal of stored files waits at this gate; a backup closes it while it creates hard links. */
  readonly removals: Gate
  /** Requests a restart from the caller of startServer. */
  readonly restart: Restart
}

/** Names that the instance uses in a data folder. It leaves other files alone. */
const NAMES =
  /^(deskforge\..*|instance\.(lock|json)|local\.json|restore(\.json)?|before-restore-.*|secrets\.key.*|reserve|logs|backups|repositories|storages|uploads|secure_files|artifacts|lfs|imports|exports|tmp|snapshots|ssh|git|cache|window|inspector|built_in_runner|\..*)$/

/** True for a name in a data folder that the instance uses. */
export function isDataDirName(name: string): boolean {
  return NAMES.test(name)
}

/** The paths of files and folders in a data folder. */
export function dataPaths(dataDir: string) {
  return {
    database: join(dataDir, 'deskforge.db'),
    /** A file that only takes up space. A start with a full disk deletes it to free that space. */
    reserve: join(dataDir, 'reserve'),
    logs: join(dataDir, 'logs'),
    backups: join(dataDir, 'backups'),
    /** The storage named `default`. */
    repositories: join(dataDir, 'repositories'),
    /** Avatars and files attached to texts. */
    uploads: join(dataDir, 'uploads'),
    /** Secure files of CI jobs, sealed. */
    secureFiles: join(dataDir, 'secure_files'),
    /** Artifacts of CI jobs: archives, reports, traces. */
    artifacts: join(dataDir, 'artifacts'),
    /** LFS objects, by digest. */
    lfs: join(dataDir, 'lfs'),
    /** Archives that are being imported. */
    imports: join(dataDir, 'imports'),
    /** Uploads that are still arriving; emptied at start. */
    tmp: join(dataDir, 'tmp'),
    /** The SSH host keys. */
    ssh: join(dataDir, 'ssh'),
    /** The key of sealed values in the database; without it they are lost. */
    secretKey: join(dataDir, 'secrets.key'),
    /** The home folder of git, with its hooks. */
    git: join(dataDir, 'git'),
    /** A copy of the served certificate, for git and the command line. */
    ownCertificate: join(dataDir, 'git', 'own-certificate.pem'),
  }
}

/**
 * The public address; undefined when it is the address the server listens on. Throws StartupError for an invalid one.
 */
export function publicUrl({ url }: StartOptions): string | undefined {
  if (!url) return undefined
  const parsed = URL.parse(url)
  const isPlain = parsed && /^https?:$/.test(parsed.protocol) && parsed.pathname === '/' && !parsed.username
  if (!isPlain || parsed.search || parsed.hash)
    throw new StartupError(`The address must be like https://forge.example.com, not "${url}".`)
  return parsed.origin
}

function checkedProxies({ trustedProxies = [] }: StartOptions): readonly string[] {
  const invalid = trustedProxies.find((proxy) => addressRange(proxy) === undefined)
  if (invalid !== undefined)
    throw new StartupError(`"${invalid}" is neither the address of a proxy nor a range such as 10.0.0.0/8.`)
  return trustedProxies
}

/** Creates the configuration from the start options and the open ports. Throws StartupError for invalid options. */
export function configOf(
  options: StartOptions,
  listener: Pick<Listener, 'url' | 'port' | 'certificate'>,
  detected: Pick<Config, 'sshPort' | 'gitVersion' | 'removals'>,
): Config {
  return {
    ...detected,
    dataDir: options.dataDir,
    host: options.host ?? '127.0.0.1',
    port: listener.port,
    url: publicUrl(options) ?? listener.url,
    ownUrl: listener.url,
    ownCertificate: listener.certificate,
    trustedProxies: checkedProxies(options),
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
    restart: newRestart(),
  }
}
