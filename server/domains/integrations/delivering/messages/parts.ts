import type { Delivery } from '../delivery.ts'
import { projectUrl } from '../urls.ts'
import type { Part } from './markup.ts'

/** `Ann Example (ann)`. */
export function nameOf(user: { name: string | null; username: string | null } | null): string {
  return user?.name ? `${user.name} (${user.username})` : 'Somebody'
}

/** `Group / Subgroup / Project`. */
export function projectName({ project }: Pick<Delivery, 'project'>): string {
  return `${project.namespace_full_name} / ${project.name}`
}

/** Link to the project. */
export function projectLink(delivery: Delivery): Part {
  return { link: projectName(delivery), url: projectUrl(delivery) }
}

/** Link to a branch or tag. */
export function refLink(delivery: Delivery, ref: string, isTag: boolean): Part {
  const path = ref.split('/').map(encodeURIComponent).join('/')
  return { link: ref, url: `${projectUrl(delivery)}/-/${isTag ? 'tags' : 'commits'}/${path}` }
}

/** The first line of a text. */
export function firstLine(source: string): string {
  return source.split('\n', 1)[0]!.trim()
}
