import type { Ctx } from '../../../ctx.ts'
import { endpoint, type Endpoint, type Exchange, type Shape } from '../../../http/endpoint.ts'
import { int, text } from '../../../http/params.ts'
import { created, noContent, ok, page, type Paging } from '../../../http/returns.ts'
import { project, type Project } from '../../projects/index.ts'
import { AwardEmoji } from './entity.ts'
import {
  awardableOf,
  checkAward,
  findAwards,
  getAward,
  giveAward,
  takeAward,
  type AwardKind,
} from './service.ts'

interface AwardContext extends Ctx {
  readonly project: Project
  readonly params: Readonly<Record<string, unknown>> & { readonly award_id: number; readonly name: string }
  readonly paging: Paging
  readonly http: Exchange
}

const award_id = int().describe('Id of the emoji that was given')
const note_id = int().describe('Id of the note')

/**
 * The endpoints of emoji that people give to records of one kind and to the notes under them (spec core 6.5), below
 * `/projects/:id`. The kind's domain puts them into its routes.
 */
export function awardEndpoints(kind: AwardKind): Endpoint[] {
  return [
    ...endpointsAt(kind, kind.path, { what: `a ${kind.title}`, params: kind.params }),
    ...endpointsAt(kind, `${kind.path}/notes/:note_id`, {
      what: `a note of a ${kind.title}`,
      params: { ...kind.params, note_id },
    }),
  ]
}

function endpointsAt(
  kind: AwardKind,
  path: string,
  { what, params }: { what: string; params: Shape },
): Endpoint[] {
  const at = `/projects/:id${path}/award_emoji` as const
  const list = endpoint(`GET ${at}`, {
    summary: `List the emoji of ${what}`,
    scope: project,
    can: kind.read,
    params,
    returns: page(AwardEmoji),
    run: async (context) => {
      const ctx = context as unknown as AwardContext
      return findAwards(ctx, await awardableOf(ctx, kind), ctx.paging)
    },
  })
  const show = endpoint(`GET ${at}/:award_id`, {
    summary: `Get an emoji of ${what}`,
    scope: project,
    can: kind.read,
    params: { ...params, award_id },
    returns: ok(AwardEmoji),
    run: async (context) => {
      const ctx = context as unknown as AwardContext
      return getAward(ctx, await awardableOf(ctx, kind), ctx.params.award_id)
    },
  })
  const give = endpoint(`POST ${at}`, {
    summary: `Give ${what} an emoji`,
    scope: project,
    can: kind.write,
    params: { ...params, name: text({ max: 255 }).describe('Name of the emoji, without colons') },
    returns: created(AwardEmoji),
    run: async (context) => {
      const ctx = context as unknown as AwardContext
      const target = await awardableOf(ctx, kind)
      checkAward(ctx, kind, target)
      return giveAward(ctx, target, ctx.params.name)
    },
  })
  const take = endpoint(`DELETE ${at}/:award_id`, {
    summary: `Take an emoji of ${what} back`,
    scope: project,
    can: kind.write,
    params: { ...params, award_id },
    returns: noContent,
    run: async (context) => {
      const ctx = context as unknown as AwardContext
      const target = await awardableOf(ctx, kind)
      takeAward(ctx, target, ctx.params.award_id, (updatedAt) => ctx.http.unmodifiedSince(updatedAt))
    },
  })
  return [list, show, give, take]
}
