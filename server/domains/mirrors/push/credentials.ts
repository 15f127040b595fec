import type { Ctx } from '../../../ctx.ts'
import { makeSshKeyPair } from '../../../lib/ssh/key-pair.ts'
import type { Credentials } from '../validation.ts'
import type { RemoteMirrorRow } from './store.ts'

const CREDENTIALS = 'remote_mirrors.credentials'
const PRIVATE_KEY = 'remote_mirrors.ssh_private_key'

type Sealing = Pick<Ctx, 'secrets'>

export function sealCredentials({ secrets }: Sealing, credentials: Credentials | null): string | null {
  return credentials && secrets.seal(JSON.stringify(credentials), CREDENTIALS)
}

export function credentialsOf({ secrets }: Sealing, row: RemoteMirrorRow): Credentials | null {
  return row.credentials === null
    ? null
    : (JSON.parse(secrets.open(row.credentials, CREDENTIALS).toString()) as Credentials)
}

export function privateKeyOf({ secrets }: Sealing, row: RemoteMirrorRow): string | null {
  return row.ssh_private_key === null ? null : secrets.open(row.ssh_private_key, PRIVATE_KEY).toString()
}

/** Makes a key pair as columns. */
export function newKeys(ctx: Pick<Ctx, 'secrets' | 'config'>) {
  const pair = makeSshKeyPair(`git@${new URL(ctx.config.url).hostname}`)
  return { ssh_private_key: ctx.secrets.seal(pair.privateKey, PRIVATE_KEY), ssh_public_key: pair.publicKey }
}
