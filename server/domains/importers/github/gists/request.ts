import type { Ctx } from '../../../../ctx.ts'
import { tx } from '../../../../db/database.ts'
import { enqueue } from '../../../../jobs/job.ts'
import { importGists } from '../jobs.ts'
import { refusalOf, refuse } from '../refusals.ts'
import { checkSource, clientFor } from '../request.ts'
import * as store from './store.ts'

/** Begins to make snippets of somebody's gists. Throws as beginning an import does, and 422 while another one is under way. */
export async function beginGists(
  ctx: Ctx,
  given: { readonly personal_access_token: string; readonly hostA_hostname?: string | undefined },
): Promise<void> {
  checkSource(ctx)
  const { personal_access_token: token, hostA_hostname: hostname } = given
  const client = clientFor(ctx, token, hostname)
  const userId = ctx.actor.id!
  if (store.importOf(ctx, userId)?.status === 'started')
    throw refuse('unprocessable', 'Import already in progress')
  try {
    await client.one('/user')
  } catch (error) {
    throw refusalOf(error, hostname ?? client.address.web)
  }
  tx(ctx.db, () => {
    store.begin(ctx, userId, { token, hostname: hostname?.trim() || null })
    enqueue(ctx, importGists, { user_id: userId }, { key: `gist_imports:${userId}` })
  })
}
