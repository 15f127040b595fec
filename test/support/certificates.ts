import { execFileSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'

/** Files of a certificate and its private key, as start options name them. */
export interface Certificate {
  readonly tlsCert: string
  readonly tlsKey: string
}

const EC = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes']
const NAMES = 'subjectAltName=IP:127.0.0.1,DNS:localhost,DNS:forge.example.com'

/** Runs the installed openssl. */
export const openssl = (...args: readonly string[]): void =>
  void execFileSync('openssl', args, { stdio: ['ignore', 'ignore', 'pipe'] })

const filesOf = (folder: string, name: string): Certificate => ({
  tlsCert: join(folder, `${name}.crt`),
  tlsKey: join(folder, `${name}.key`),
})

/** A self-signed certificate `<name>.crt` with its key `<name>.key` in a folder. */
export function selfSigned(folder: string, name: string, names = NAMES): Certificate {
  const files = filesOf(folder, name)
  const subject = ['-subj', `/CN=${name}`, '-addext', names, '-days', '30']
  openssl('req', '-x509', ...EC, '-keyout', files.tlsKey, '-out', files.tlsCert, ...subject)
  return files
}

/** Creates a certificate that an authority issued. The certificate of the authority is in none of the files. */
export function issued(folder: string, name: string): Certificate {
  const authority = selfSigned(folder, `${name}-authority`)
  const files = filesOf(folder, name)
  const [wish, names] = [join(folder, `${name}.csr`), join(folder, `${name}.names`)]
  writeFileSync(names, NAMES)
  openssl('req', ...EC, '-keyout', files.tlsKey, '-out', wish, '-subj', `/CN=${name}`)
  const issuer = ['-CA', authority.tlsCert, '-CAkey', authority.tlsKey, '-CAcreateserial']
  openssl('x509', '-req', '-in', wish, ...issuer, '-extfile', names, '-days', '30', '-out', files.tlsCert)
  return files
}
