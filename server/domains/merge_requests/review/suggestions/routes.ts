import { endpoint } from '../../../../http/endpoint.ts'
import { int, list, text } from '../../../../http/params.ts'
import { ok, page } from '../../../../http/returns.ts'
import { fail } from '../../../../lib/fail.ts'
import { awardEndpoints, discussionEndpoints, noteEndpoints } from '../../../discussions/index.ts'
import { Suggestion } from '../../../discussions/notes/entity.ts'
import { mergeRequestKind } from '../target.ts'
import { applySuggestions } from './apply.ts'

export const mergeRequestNotes = noteEndpoints(mergeRequestKind)
export const mergeRequestDiscussions = discussionEndpoints(mergeRequestKind)
export const mergeRequestAwards = awardEndpoints(mergeRequestKind)

const commit_message = text({ max: 100_000 })
  .optional()
  .describe('Custom commit message. Default: the template of the project')

const fails = {
  400: 'The suggestion is applied already, its lines changed, or the merge request is not open',
  403: 'The caller may not push to the source branch',
  404: 'The suggestion does not exist',
}

export const applySuggestion = endpoint('PUT /suggestions/:id/apply', {
  summary: 'Apply a suggestion',
  can: 'signed_in',
  params: { id: int().describe('The ID of a suggestion'), commit_message },
  fails,
  returns: ok(Suggestion),
  run: async ({ params, ...ctx }) => {
    const notFoundMessage = 'Suggestion is not applicable as the suggestion was not found.'
    const message = params.commit_message
    return (await applySuggestions(ctx, [params.id], { message, notFoundMessage }))[0]!
  },
})

export const applySeveral = endpoint('PUT /suggestions/batch_apply', {
  summary: 'Apply multiple suggestions in one commit',
  can: 'signed_in',
  params: {
    ids: list(int(), { max: 100 }).describe('The IDs of the suggestions'),
    commit_message,
  },
  fails,
  returns: page(Suggestion, { paging: 'none' }),
  run: async ({ params, ...ctx }) => {
    const ids = [...new Set(params.ids)]
    if (ids.length === 0) throw fail('parameter', 'ids is empty')
    const notFoundMessage = 'Suggestions are not applicable as one or more suggestions were not found.'
    const rows = await applySuggestions(ctx, ids, { message: params.commit_message, notFoundMessage })
    return { rows, total: rows.length }
  },
})
