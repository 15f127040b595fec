import { z } from 'zod'

import { endpoint, type Endpoint, type Shape } from '../../../http/endpoint.ts'
import { entity, time, row } from '../../../http/entity.ts'
import { int, text } from '../../../http/params.ts'
import { created, noContent, ok, page } from '../../../http/returns.ts'
import { project } from '../../projects/index.ts'
import { UserBasic } from '../../users/entity.ts'
import {
  awardableOf,
  checkAward,
  findAwards,
  getAward,
  createAward,
  removeAward,
  type AwardKind,
  type AwardView,
} from './service.ts'

/** An award emoji (spec core 6.5). `url` is for custom emoji, which this instance does not have. */
const AwardEmoji = entity(
  'AwardEmoji',
  {
    id: z.int(),
    name: z.string(),
    user: UserBasic.schema,
    created_at: time(),
    updated_at: time(),
    awardable_id: z.int(),
    awardable_type: z.enum(['Issue', 'MergeRequest', 'Snippet', 'Note']),
    url: z.null(),
  },
  row<AwardView>(),
  (award, base) => ({
    user: UserBasic.present(award.user, base),
    url: null,
  }),
)

const award_id = int().describe('The ID of an award emoji')
const note_id = int().describe('The ID of a note')

/**
 * Declares the endpoints for emoji on records of one kind and on their notes (spec core 6.5), below `/projects/:id`.
 * The domain of the kind adds them to its routes.
 */
export function awardEndpoints(kind: AwardKind): Endpoint[] {
  return [
    ...endpointsAt(kind, kind.path, { noun: `a ${kind.title}`, params: kind.params }),
    ...endpointsAt(kind, `${kind.path}/notes/:note_id`, {
      noun: `a note on a ${kind.title}`,
      params: { ...kind.params, note_id },
    }),
  ]
}

function endpointsAt(
  kind: AwardKind,
  path: string,
  { noun, params }: { noun: string; params: Shape },
): Endpoint[] {
  const base = `/projects/:id${path}/award_emoji` as const
  const list = endpoint(`GET ${base}`, {
    summary: `List the award emoji of ${noun}`,
    scope: project,
    can: kind.read,
    params,
    returns: page(AwardEmoji),
    run: async (ctx) => {
      return findAwards(ctx, await awardableOf(ctx, kind), ctx.paging)
    },
  })
  const show = endpoint(`GET ${base}/:award_id`, {
    summary: `Get a single award emoji of ${noun}`,
    scope: project,
    can: kind.read,
    params: { ...params, award_id },
    returns: ok(AwardEmoji),
    run: async (ctx) => {
      return getAward(ctx, await awardableOf(ctx, kind), ctx.params.award_id)
    },
  })
  const add = endpoint(`POST ${base}`, {
    summary: `Award an emoji to ${noun}`,
    scope: project,
    can: kind.write,
    params: { ...params, name: text({ max: 255 }).describe('The name of the emoji without colons') },
    returns: created(AwardEmoji),
    run: async (ctx) => {
      const target = await awardableOf(ctx, kind)
      checkAward(ctx, kind, target)
      return createAward(ctx, target, ctx.params.name)
    },
  })
  const remove = endpoint(`DELETE ${base}/:award_id`, {
    summary: `Delete an award emoji of ${noun}`,
    scope: project,
    can: kind.write,
    params: { ...params, award_id },
    returns: noContent,
    run: async (ctx) => {
      const target = await awardableOf(ctx, kind)
      removeAward(ctx, target, ctx.params.award_id, (updatedAt) => ctx.http.unmodifiedSince(updatedAt))
    },
  })
  return [list, show, add, remove]
}
