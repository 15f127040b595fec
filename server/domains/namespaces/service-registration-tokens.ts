import type { Ctx } from '../../ctx.ts'
import { tx } from '../../db/database.ts'
import { REGISTRATION_TOKEN_PREFIX } from '../../lib/aliases.ts'
import { tokenDigest } from '../../lib/security/crypto.ts'
import * as store from './store.ts'

const PURPOSE = 'runners_token'
const LETTERS = 20
/** Rows per transaction while old tokens are encrypted. */
const BATCH = 500

/** A stored registration token of a project or group: encrypted to show it again, and a digest to find it. */
export interface RegistrationColumns {
  readonly runners_token: string
  readonly runners_token_digest: string
}

/** Creates a new registration token of a project or group. */
export function newRegistrationToken(ctx: Pick<Ctx, 'random' | 'secrets'>): {
  token: string
  columns: RegistrationColumns
} {
  const token = REGISTRATION_TOKEN_PREFIX + ctx.random.token(LETTERS)
  return { token, columns: columnsOf(ctx, token) }
}

function columnsOf({ secrets }: Pick<Ctx, 'secrets'>, token: string): RegistrationColumns {
  return { runners_token: secrets.seal(token, PURPOSE), runners_token_digest: tokenDigest(token) }
}

/**
 * Returns the registration token of a project or group. Undefined without one, and if the key that encrypted it is
 * missing: the answers about a project contain the token, and must not fail.
 */
export function registrationTokenOf(
  { secrets, log }: Pick<Ctx, 'secrets' | 'log'>,
  row: { readonly runners_token: string | null; readonly runners_token_digest: string | null },
): string | undefined {
  if (!row.runners_token || row.runners_token_digest === null) return undefined
  try {
    return secrets.open(row.runners_token, PURPOSE).toString()
  } catch (error) {
    log.debug({ err: error }, 'a registration token does not open')
    return undefined
  }
}

/**
 * Encrypts the tokens that older releases stored as plain text. It runs at start, in short transactions, and continues
 * after an interruption. The plain text is overwritten in the file, and the write-ahead log is emptied.
 */
export function sealRegistrationTokens(ctx: Ctx): void {
  const count = sealIn(ctx, 'namespaces') + sealIn(ctx, 'projects')
  if (count === 0) return
  ctx.db.one('PRAGMA wal_checkpoint(TRUNCATE)')
  ctx.log.info({ count }, 'registration tokens of runners were sealed')
}

function sealIn(ctx: Ctx, table: 'projects' | 'namespaces'): number {
  const { db } = ctx
  let after = 0
  let count = 0
  for (;;) {
    const rows = store.unsealedTokens(db, table, { after, limit: BATCH })
    if (rows.length === 0) return count
    // The pragma applies to the connection, so it is set once.
    if (count === 0) db.one('PRAGMA secure_delete = ON')
    tx(db, () => {
      for (const { id, runners_token } of rows) store.setToken(db, table, id, columnsOf(ctx, runners_token))
    })
    count += rows.length
    after = rows.at(-1)!.id
  }
}
