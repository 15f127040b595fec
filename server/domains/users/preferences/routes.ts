import { atLeastOne, endpoint } from '../../../http/endpoint.ts'
import { bool } from '../../../http/params.ts'
import { ok } from '../../../http/returns.ts'
import { changeFlags } from '../service.ts'
import { userOf } from '../lookup.ts'
import { UserPreferences } from './entity.ts'

const preferences = {
  view_diffs_file_by_file: bool().optional().describe('Show one file of a diff at a time'),
  show_whitespace_in_diffs: bool().optional().describe('Show changes of white space in diffs'),
  pass_user_identities_to_ci_jwt: bool().optional().describe('Tell CI jobs the accounts at other providers'),
}

export const getPreferences = endpoint('GET /user/preferences', {
  summary: 'Get your preferences',
  can: 'signed_in',
  token: ['read_user'],
  pure: true,
  returns: ok(UserPreferences),
  run: (ctx) => userOf(ctx, ctx.actor.id!),
})

export const changePreferences = endpoint('PUT /user/preferences', {
  summary: 'Change your preferences',
  can: 'signed_in',
  params: preferences,
  together: [atLeastOne(...Object.keys(preferences))],
  returns: ok(UserPreferences),
  run: ({ params, ...ctx }) => changeFlags(ctx, ctx.actor.id!, params),
})
