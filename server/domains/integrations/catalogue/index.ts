import { chat, commands } from './chat.ts'
import { ciServers, monitoring } from './ci.ts'
import type { Integration } from './declare.ts'
import { notifications, registries } from './notifications.ts'
import { documentation, issueTrackers, taskComments } from './trackers.ts'

export { FLAG_DEFAULTS, FLAG_OF, type Family, type Field, type Flag, type Integration } from './declare.ts'

/**
 * All integrations by slug (spec administration 3.3). Their parameters, entities, secrets and forms are computed from
 * these declarations.
 */
export const CATALOGUE: ReadonlyMap<string, Integration> = new Map(
  [
    ...chat,
    ...commands,
    ...issueTrackers,
    ...ciServers,
    ...taskComments,
    ...notifications,
    ...registries,
    ...monitoring,
    ...documentation,
  ]
    .toSorted((a, b) => (a.slug < b.slug ? -1 : 1))
    .map((integration) => [integration.slug, integration]),
)

/** Returns the integration of a row's slug. Throws for an unknown one. */
export function catalogueOf(slug: string): Integration {
  const integration = CATALOGUE.get(slug)
  if (!integration) throw new Error(`There is no integration ${slug}.`)
  return integration
}
