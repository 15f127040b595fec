import type { Ctx } from '../../../../ctx.ts'
import { tx } from '../../../../db/database.ts'
import { publish } from '../../../../events/publish.ts'
import { tokenDigest } from '../../../../lib/security/crypto.ts'
import { invalid, notFound } from '../../../../lib/fail.ts'
import { ApplicationCreated, ApplicationRemoved, ApplicationUpdated } from '../../events.ts'
import { areScopes, scopeList } from '../scopes.ts'
import { redirectList, redirectProblem } from './redirects.ts'
import * as store from './store.ts'
import type { ApplicationRow, Owner } from './store.ts'

/** An application with its new secret, which is shown only once. */
export interface ApplicationSecret {
  readonly row: ApplicationRow
  readonly secret: string
}

/** Fields of an application. `scopes` are separated by spaces, redirect URIs by line breaks. */
export interface ApplicationInput {
  readonly name: string
  readonly redirect_uri: string
  readonly scopes: string
  readonly confidential: boolean
  readonly trusted: boolean
}

/** Returns an application of an owner. Throws `404 Application Not Found`. */
export function applicationOf(ctx: Ctx, owner: Owner, id: number): ApplicationRow {
  const row = store.ofOwnerById(ctx.db, owner, id)
  if (!row) throw notFound('Application')
  return row
}

function checkInput(input: Partial<ApplicationInput>): void {
  const problems: Record<string, string[]> = {}
  if (input.name !== undefined && input.name.trim() === '') problems['name'] = ["can't be blank"]
  if (input.redirect_uri !== undefined) {
    const uris = redirectList(input.redirect_uri)
    const problem = uris.map(redirectProblem).find((problem) => problem !== undefined)
    if (uris.length === 0) problems['redirect_uri'] = ["can't be blank"]
    else if (problem) problems['redirect_uri'] = [problem]
  }
  if (input.scopes !== undefined) {
    const words = scopeList(input.scopes)
    if (words.length === 0) problems['scopes'] = ["can't be blank"]
    else if (!areScopes(words)) problems['scopes'] = ["doesn't match configured on the server."]
  }
  if (Object.keys(problems).length > 0) throw invalid(problems)
}

function columnsOf(input: Partial<ApplicationInput>): Partial<ApplicationRow> {
  const { name, redirect_uri, scopes, confidential, trusted } = input
  return {
    ...(name === undefined ? {} : { name }),
    ...(redirect_uri === undefined ? {} : { redirect_uri: redirectList(redirect_uri).join('\n') }),
    ...(scopes === undefined ? {} : { scopes: scopeList(scopes) }),
    ...(confidential === undefined ? {} : { confidential }),
    ...(trusted === undefined ? {} : { trusted }),
  }
}

/** Creates an application. Throws 400 with all invalid fields. */
export function createApplication(ctx: Ctx, owner: Owner, input: ApplicationInput): ApplicationSecret {
  checkInput(input)
  const secret = ctx.random.hex(32)
  return tx(ctx.db, () => {
    const row = store.insert(ctx.db, {
      ...(columnsOf(input) as Required<ReturnType<typeof columnsOf>>),
      ...owner,
      uid: ctx.random.hex(32),
      secret_digest: tokenDigest(secret),
      created_at: ctx.now,
      updated_at: ctx.now,
    })
    publish(ctx, ApplicationCreated, { application_id: row.id, actor_id: ctx.actor.id })
    return { row, secret }
  })
}

/** Updates an application. Its tokens stay unchanged. Throws 400 with all invalid fields. */
export function changeApplication(
  ctx: Ctx,
  row: ApplicationRow,
  input: Partial<ApplicationInput>,
): ApplicationRow {
  checkInput(input)
  const changes = columnsOf(input)
  return tx(ctx.db, () => {
    publishChange(ctx, row, Object.keys(changes))
    return store.update(ctx.db, row.id, { ...changes, updated_at: ctx.now })
  })
}

/** Renews the secret of an application. The old one becomes invalid at once. */
export function renewSecret(ctx: Ctx, row: ApplicationRow): ApplicationSecret {
  const secret = ctx.random.hex(32)
  return tx(ctx.db, () => {
    publishChange(ctx, row, ['secret'])
    const columns = { secret_digest: tokenDigest(secret), updated_at: ctx.now }
    return { row: store.update(ctx.db, row.id, columns), secret }
  })
}

function publishChange(ctx: Ctx, { id }: ApplicationRow, changed: string[]): void {
  publish(ctx, ApplicationUpdated, { application_id: id, changed, actor_id: ctx.actor.id })
}

/** Deletes an application with all its codes and tokens. */
export function removeApplication(ctx: Ctx, row: ApplicationRow): void {
  tx(ctx.db, () => {
    // The event is published before the deletion, because the audit log looks up the name.
    publish(ctx, ApplicationRemoved, { application_id: row.id, actor_id: ctx.actor.id })
    store.remove(ctx.db, row.id)
  })
}
