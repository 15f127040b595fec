import { atLeastOne, endpoint } from '../../../http/endpoint.ts'
import { text } from '../../../http/params.ts'
import { ok } from '../../../http/returns.ts'
import { avatarParam } from '../../storage/index.ts'
import { OwnProfile } from '../../users/entity.ts'
import { profileParams, userOf, withDetails } from '../../users/index.ts'
import { changeOwn } from './change.ts'

export const getProfile = endpoint('GET /-/profile', {
  summary: 'Get the own profile of the current user, with its private fields',
  can: 'signed_in',
  returns: ok(OwnProfile),
  run: (ctx) => withDetails(ctx.db, userOf(ctx, ctx.actor.id!), ctx.actor.id),
})

const changeable = {
  name: text({ max: 255 }).optional().describe('Name'),
  username: text({ max: 255 }).optional().describe('User name; it is part of the paths of personal projects'),
  email: text({ max: 254 }).optional().describe('Email address; a new one counts once it is confirmed'),
  timezone: text({ max: 255 }).nullable().optional().describe('Time zone, such as `Europe/Zurich`'),
  avatar: avatarParam(),
  ...profileParams,
}

export const updateProfile = endpoint('PUT /-/profile', {
  summary: 'Update the own profile of the current user',
  can: 'signed_in',
  params: changeable,
  together: [atLeastOne(...Object.keys(changeable))],
  fails: {
    400: 'A value is invalid',
    409: 'The user name or email address is taken',
  },
  returns: ok(OwnProfile),
  run: async ({ params, ...ctx }) => {
    const { name, username, email, timezone, avatar, ...attributes } = params
    const user = await changeOwn(ctx, { name, username, email, timezone, avatar, attributes })
    return withDetails(ctx.db, user, ctx.actor.id)
  },
})
