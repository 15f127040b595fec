import { api, type Endpoint, type Params, type Result } from '../api/client.ts'
import { apiWith } from '../api/stranger.ts'
import type { Project } from '../api/types.ts'
import { PEOPLE, type Person } from './content/history.ts'

/** A demo project that is being made. */
export type Demo = {
  project: Project
  /** Id of the user who creates it. */
  me: number
  /** Sends a request as a person of the demo; without an account, as the user. */
  as: <E extends Endpoint>(who: Person | 'me', endpoint: E, params: Params<E>) => Promise<Result<E>>
}

/** The topic by which the demo is known. */
export const DEMO_TOPIC = 'demo'

const DAY_MS = 86_400_000
const tomorrow = () => new Date(Date.now() + DAY_MS).toISOString().slice(0, 10)

/**
 * The users of the demo are bot accounts of project access tokens, so they are deleted with the project. The tokens are not stored, and
 * end tomorrow.
 */
const tokenOf = async (id: number, name: string): Promise<string | null> => {
  try {
    const known = await api('GET /projects/:id/access_tokens', { id, per_page: 100 })
    const old = known.find((one) => one.name === name && one.active)
    const made = old
      ? await api('POST /projects/:id/access_tokens/:token_id/rotate', {
          id,
          token_id: old.id,
          expires_at: tomorrow(),
        })
      : await api('POST /projects/:id/access_tokens', {
          id,
          name,
          scopes: ['api'],
          access_level: 40,
          expires_at: tomorrow(),
        })
    return made.token
  } catch {
    // The settings may forbid such tokens; then all comments are from one user.
    return null
  }
}

export const demoOf = (project: Project, me: number): Demo => {
  const tokens = new Map<Person, Promise<string | null>>()
  const tokenFor = (who: Person) => {
    const token = tokens.get(who) ?? tokenOf(project.id, PEOPLE[who].name)
    tokens.set(who, token)
    return token
  }
  return {
    project,
    me,
    as: async (who, endpoint, params) => {
      const token = who === 'me' ? null : await tokenFor(who)
      return token
        ? apiWith(token, endpoint, params)
        : (api as (endpoint: string, params: unknown) => Promise<never>)(endpoint, params)
    },
  }
}
