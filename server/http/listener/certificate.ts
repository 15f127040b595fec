import { createPrivateKey, X509Certificate, type KeyObject } from 'node:crypto'
import { mkdirSync, readFileSync, renameSync, statSync, writeFileSync } from 'node:fs'
import { isIP } from 'node:net'
import { dirname } from 'node:path'
import { createSecureContext, type SecureContextOptions, type Server as TlsServer } from 'node:tls'

import type { Clock } from '../../lib/clock.ts'
import { StartupError } from '../../lib/fail.ts'
import type { Logger } from '../../lib/log.ts'
import type { OwnCertificate } from '../../lib/net/own-certificate.ts'

/** The PEM files of a certificate and of its private key. */
export interface CertificateFiles {
  readonly cert: string
  readonly key: string
}

/** The time in milliseconds before the expiry of a certificate at which a warning is logged. */
const WARNING_MS = 14 * 86_400_000

/** The files of the two options; undefined without both. Throws `StartupError` when only one is set. */
export function certificateFiles(
  cert: string | undefined,
  key: string | undefined,
): CertificateFiles | undefined {
  if (cert && key) return { cert, key }
  if (cert) throw refusal('--tls-cert needs --tls-key, the file of the private key.')
  if (key) throw refusal('--tls-key needs --tls-cert, the file of the certificate.')
  return undefined
}

const refusal = (sentence: string): StartupError => new StartupError(sentence, 2)

const REASONS: Readonly<Record<string, string>> = {
  ENOENT: 'the file does not exist',
  EISDIR: 'it is a folder',
  EACCES: 'this user may not read it',
}

function readText(what: string, file: string): string {
  try {
    return readFileSync(file, 'utf8')
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException
    throw refusal(`The ${what} ${file} cannot be read: ${REASONS[code ?? ''] ?? message}.`)
  }
}

function certificateIn(text: string, file: string): X509Certificate {
  try {
    if (!text.includes('-----BEGIN')) throw new Error('DER')
    return new X509Certificate(text)
  } catch {
    throw refusal(`The file ${file} contains no PEM certificate.`)
  }
}

function keyIn(text: string, file: string): KeyObject {
  if (/^-----BEGIN ENCRYPTED|^Proc-Type: 4,ENCRYPTED/m.test(text))
    throw refusal(`The private key ${file} is protected by a passphrase; save it without one.`)
  try {
    return createPrivateKey(text)
  } catch {
    throw refusal(`The file ${file} contains no PEM private key.`)
  }
}

/** A certificate with its key, checked. */
export interface LoadedCertificate {
  readonly context: SecureContextOptions
  readonly pem: string
  readonly leaf: X509Certificate
}

/** Reads a certificate and its key. Throws `StartupError` when they cannot be served. */
export function readCertificate({ cert, key }: CertificateFiles, now: number): LoadedCertificate {
  const [pem, secret] = [readText('certificate', cert), readText('private key', key)]
  const leaf = certificateIn(pem, cert)
  if (!leaf.checkPrivateKey(keyIn(secret, key)))
    throw refusal(`The private key ${key} does not belong to the certificate ${cert}.`)
  if (now >= leaf.validToDate.getTime())
    throw refusal(`The certificate ${cert} expired on ${dayOf(leaf.validToDate)}.`)
  if (now < leaf.validFromDate.getTime())
    throw refusal(`The certificate ${cert} is not valid before ${dayOf(leaf.validFromDate)}.`)
  const context: SecureContextOptions = { cert: pem, key: secret, minVersion: 'TLSv1.2' }
  try {
    createSecureContext(context)
  } catch (error) {
    // The key may be too short, for example.
    throw refusal(`The certificate ${cert} cannot be used: ${(error as Error).message}.`)
  }
  return { context, pem, leaf }
}

const dayOf = (date: Date): string => date.toISOString().slice(0, 10)

/** True when a certificate is valid for the host of a URL. */
function coversHost(leaf: X509Certificate, url: string): boolean {
  const host = new URL(url).hostname.replace(/^\[|\]$/g, '')
  return (isIP(host) ? leaf.checkIP(host) : leaf.checkHost(host)) !== undefined
}

/** A certificate with the server that uses it. */
export interface CertificateOptions {
  readonly files: CertificateFiles
  readonly loaded: LoadedCertificate
  readonly server: Pick<TlsServer, 'setSecureContext'>
  /** The address that the server listens on. */
  readonly ownUrl: string
  /** The public address, if it differs. */
  readonly url: string | undefined
  /** The path of a copy of the certificate, for programs that need a file. */
  readonly copy: string
  readonly clock: Clock
}

/** The certificate of a server, which is read again when its files change. */
export class ServedCertificate implements OwnCertificate {
  readonly #options: CertificateOptions
  #loaded: LoadedCertificate
  /** The state of the files when they were last read. */
  #state: string
  #log: Logger | undefined
  #lastWarning: string | undefined

  constructor(options: CertificateOptions) {
    this.#options = options
    this.#loaded = options.loaded
    this.#state = stateOf(options.files)
  }

  get pem(): string {
    return this.#loaded.pem
  }

  get file(): string {
    return this.#options.copy
  }

  get origins(): readonly string[] {
    const { ownUrl, url } = this.#options
    // At the public address, a proxy usually has a certificate of its own.
    return url !== undefined && url !== ownUrl && coversHost(this.#loaded.leaf, url)
      ? [ownUrl, url]
      : [ownUrl]
  }

  get warning(): string | undefined {
    const { ownUrl, url, clock } = this.#options
    const { leaf } = this.#loaded
    if (url === undefined && !coversHost(leaf, ownUrl))
      return `The certificate is not for ${new URL(ownUrl).hostname}; name the address that it is for with --url.`
    const remainingMs = leaf.validToDate.getTime() - clock.now()
    if (remainingMs > WARNING_MS) return undefined
    return `The certificate ${remainingMs > 0 ? 'expires' : 'expired'} on ${dayOf(leaf.validToDate)}.`
  }

  /** Writes the copy, and reads the files again whenever they change, until the returned function is called. */
  follow(log: Logger, checkMs: number): () => void {
    this.#log = log
    this.#writeCopy()
    this.#warn()
    const timer = setInterval(() => {
      if (stateOf(this.#options.files) !== this.#state) this.reload()
      this.#warn()
    }, checkMs).unref()
    return () => clearInterval(timer)
  }

  /** Reads the files and serves the new certificate. An invalid one is logged and changes nothing. */
  reload(): void {
    const { files, clock, server } = this.#options
    this.#state = stateOf(files)
    try {
      const certificate = readCertificate(files, clock.now())
      server.setSecureContext(certificate.context)
      this.#loaded = certificate
      this.#writeCopy()
      this.#log?.info({ fingerprint: certificate.leaf.fingerprint256 }, 'the certificate was replaced')
    } catch (error) {
      this.#log?.warn(`${(error as Error).message} The previous certificate stays in use.`)
    }
  }

  #writeCopy(): void {
    const { copy } = this.#options
    try {
      mkdirSync(dirname(copy), { recursive: true })
      writeFileSync(`${copy}.part`, this.pem, { mode: 0o600 })
      renameSync(`${copy}.part`, copy)
    } catch (error) {
      this.#log?.warn({ err: error }, 'the copy of the certificate could not be written')
    }
  }

  #warn(): void {
    const { warning } = this
    if (warning !== undefined && warning !== this.#lastWarning) this.#log?.warn(warning)
    this.#lastWarning = warning
  }
}

/** A text that changes when one of the files changes. */
function stateOf({ cert, key }: CertificateFiles): string {
  try {
    return [cert, key]
      .map((file) => statSync(file))
      .map(({ ino, size, mtimeMs }) => `${ino} ${size} ${mtimeMs}`)
      .join()
  } catch (error) {
    return (error as Error).message
  }
}
