import { BookOpen, Container, Link2, Package } from '@lucide/vue'
import type { Component } from 'vue'
import type { Item } from '../../api/client.ts'
import type { Project } from '../../api/types.ts'
import { projectUrl } from '../../composables/paths.ts'
import { t } from '../../locales/t.ts'

export type Release = Item<'GET /projects/:id/releases'>
export type ReleaseLink = Release['assets']['links'][number]
export type LinkType = ReleaseLink['link_type']

/** Answers that are stale after a change of a release. */
export const STALE = ['GET /projects/:id/releases*', 'GET /projects/:id/repository/tags*']

/** The page of a release: a tag is one part of the address, whatever slashes it has. */
export const releaseUrl = (
  project: Pick<Project, 'path_with_namespace'>,
  tag: string,
  rest: '' | '/edit' = '',
) => `${projectUrl(project.path_with_namespace, 'releases')}/${encodeURIComponent(tag)}${rest}`

/** The status of a release that follows from its date, if any. */
export const stageOf = (release: Pick<Release, 'upcoming_release' | 'released_at' | 'created_at'>) => {
  if (release.upcoming_release) return 'Upcoming'
  return Date.parse(release.released_at) < Date.parse(release.created_at) ? 'Historical' : null
}

/** The combined progress of the milestones of a release. */
export const workOf = (release: Pick<Release, 'milestones'>) => {
  const stats = (release.milestones ?? []).map((one) => one.issue_stats)
  const sum = (pick: (one: { total: number; closed: number }) => number) =>
    stats.reduce((all, one) => all + pick(one), 0)
  return { total: sum((one) => one.total), closed: sum((one) => one.closed) }
}

export const LINK_TYPES: readonly { value: LinkType; label: string; icon: Component }[] = [
  { value: 'other', label: t('common.other'), icon: Link2 },
  { value: 'package', label: t('releases.package'), icon: Package },
  { value: 'image', label: t('releases.image'), icon: Container },
  { value: 'runbook', label: t('releases.runbook'), icon: BookOpen },
]
export const linkType = (type: LinkType) => LINK_TYPES.find((one) => one.value === type) ?? LINK_TYPES[0]!

const two = (value: number) => String(value).padStart(2, '0')

/** A moment as a field for local time has it: `2026-11-22T10:30`. */
export const localTime = (iso: string): string => {
  const date = new Date(iso)
  const day = [date.getFullYear(), two(date.getMonth() + 1), two(date.getDate())].join('-')
  return `${day}T${two(date.getHours())}:${two(date.getMinutes())}`
}
