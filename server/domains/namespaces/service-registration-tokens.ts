import type { Ctx } from '../../ctx.ts'
import { tx } from '../../db/database.ts'
import { REGISTRATION_TOKEN_PREFIX } from '../../lib/aliases.ts'
import { tokenDigest } from '../../lib/security/crypto.ts'
import * as store from './store.ts'

const PURPOSE = 'runners_token'
const LETTERS = 20
/** Rows that are sealed in one transaction. */
const BATCH = 500

/** How the registration token of a project or group is stored: sealed, for answers show it again, and as what it is found by. */
export interface RegistrationColumns {
  readonly runners_token: string
  readonly runners_token_digest: string
}

/** A new token with which runners register for a project or group. */
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
 * The registration token of a project or group; undefined where there is none, and where the key that sealed it is gone:
 * every answer about the project shows it, and those have to go on.
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
 * Seals the tokens that older releases kept as text. It happens before the instance answers, in short transactions, and
 * goes on where it was cut off. What is overwritten is wiped from the file, and the write-ahead log is emptied.
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
    // The pragma holds for the connection, so it is set once.
    if (count === 0) db.one('PRAGMA secure_delete = ON')
    tx(db, () => {
      for (const { id, runners_token } of rows) store.setToken(db, table, id, columnsOf(ctx, runners_token))
    })
    count += rows.length
    after = rows.at(-1)!.id
  }
}
