import { z } from 'zod'

import { entity, time, type Presentation } from '../../http/entity.ts'
import { Milestone } from '../planning/milestones/entity.ts'
import { fullPath, type Project } from '../projects/index.ts'
import { commitFields, commitView } from '../repository/commits/entity.ts'
import { UserBasic } from '../users/entity.ts'
import { pathOfEvidence, pathOfRelease, sourcesAt, SOURCE_FORMATS } from './addresses/paths.ts'
import type { ReleaseView } from './service-read.ts'
import { isUpcoming, type ReleaseLinkRow } from './types.ts'

/** Types of links. */
export const LINK_TYPES = ['other', 'runbook', 'image', 'package'] as const
export type LinkType = (typeof LINK_TYPES)[number]

/** A link with the release that it belongs to. */
export interface LinkView {
  /** For the links of lists. */
  readonly id: number
  readonly link: ReleaseLinkRow
  readonly project: Project
  /** Undefined for readers without access. */
  readonly tag: string | undefined
}

const linkFields = {
  id: z.int(),
  name: z.string(),
  url: z.string(),
  direct_asset_url: z.string(),
  link_type: z.enum(LINK_TYPES),
  external: z.boolean(),
}

/** Fields of a link, alone and in its release. `external` is true for a URL outside this instance. */
function linkView({ link, project, tag }: LinkView, at: Presentation) {
  const isDirect = link.filepath !== null && tag !== undefined
  return {
    id: link.id,
    name: link.name,
    url: link.url,
    direct_asset_url: isDirect
      ? `${at.url}${pathOfRelease(project, tag)}/downloads${link.filepath}`
      : link.url,
    link_type: link.link_type,
    external: !link.url.startsWith(`${at.url}/`),
  }
}

/** A link of a release (spec administration 4.3). */
export const ReleaseLink = entity('ReleaseLink', linkFields, linkView)

const basicFields = {
  tag_name: z.string().optional(),
  description: z.string().nullable(),
  name: z.string(),
  created_at: time(),
  released_at: time(),
  upcoming_release: z.boolean(),
}

/** Names are tags in most projects, so they are hidden from users who cannot read the code. */
function basic({ release, rights }: ReleaseView, at: Presentation) {
  return {
    ...(rights.readsCode ? { tag_name: release.tag } : {}),
    description: release.description,
    name: rights.readsCode ? release.name : `Release-${release.id}`,
    created_at: release.created_at,
    released_at: release.released_at,
    upcoming_release: isUpcoming(release, at.now),
  }
}

/** A short form of a release for lists of groups (spec administration 4.1). */
export const ReleaseBasic = entity('ReleaseBasic', basicFields, basic)

const milestoneFields = {
  ...Milestone.fields,
  issue_stats: z.object({ total: z.int(), closed: z.int() }),
}

const url = z.string().optional()
const links: Record<keyof ReleaseLinks, typeof url> = {
  closed_issues_url: url,
  closed_merge_requests_url: url,
  edit_url: url,
  merged_merge_requests_url: url,
  opened_issues_url: url,
  opened_merge_requests_url: url,
  self: url,
}

/** A release (spec administration 4.3). Fields with its tag are only for users who can read the code. */
export const Release = entity(
  'Release',
  {
    ...basicFields,
    description_html: z.string().optional(),
    author: UserBasic.schema.optional(),
    commit: z.object(commitFields).nullable().optional(),
    milestones: z.array(z.object(milestoneFields)).optional(),
    commit_path: z.string().optional(),
    tag_path: z.string().optional(),
    assets: z.object({
      count: z.int(),
      sources: z.array(z.object({ format: z.string(), url: z.string() })).optional(),
      links: z.array(z.object(linkFields)),
      evidence_file_path: z.string().nullable(),
    }),
    evidences: z.array(z.object({ sha: z.string(), filepath: z.string(), collected_at: time() })).optional(),
    _links: z.object(links),
  },
  (view: ReleaseView, at) => {
    const { author, description_html, rights } = view
    const { commit, ...paths } = codeOf(view, at)
    return {
      ...basic(view, at),
      ...(description_html === undefined ? {} : { description_html }),
      ...(author ? { author: UserBasic.present(author, at) } : {}),
      ...(commit === undefined ? {} : { commit }),
      ...milestonesOf(view, at),
      ...paths,
      assets: assetsOf(view, at),
      ...(rights.readsCode ? { evidences: evidencesOf(view, at) } : {}),
      _links: linksTo(
        `${at.url}/${fullPath(view.project)}`,
        at.url + pathOfRelease(view.project, view.release.tag),
        view,
      ),
    }
  },
)

/** Links of a release. */
interface ReleaseLinks {
  readonly closed_issues_url?: string
  readonly closed_merge_requests_url?: string
  readonly edit_url?: string
  readonly merged_merge_requests_url?: string
  readonly opened_issues_url?: string
  readonly opened_merge_requests_url?: string
  readonly self?: string
}

/** Links of a release; none for users who cannot read its tag. `project` and `release` are URLs. */
function linksTo(project: string, release: string, { rights, release: row }: ReleaseView): ReleaseLinks {
  if (!rights.readsCode) return {}
  const list = (kind: string, state: string): string =>
    `${project}/-/${kind}?release_tag=${encodeURIComponent(row.tag)}&scope=all&state=${state}`
  return {
    closed_issues_url: list('issues', 'closed'),
    closed_merge_requests_url: list('merge_requests', 'closed'),
    ...(rights.edits ? { edit_url: `${release}/edit` } : {}),
    merged_merge_requests_url: list('merge_requests', 'merged'),
    opened_issues_url: list('issues', 'opened'),
    opened_merge_requests_url: list('merge_requests', 'opened'),
    self: release,
  }
}

/** Its evidences. */
export function evidencesOf({ evidences, project, release }: ReleaseView, at: Presentation) {
  return evidences.map(({ id, sha, collected_at }) => ({
    sha,
    filepath: `${at.url}${pathOfEvidence(project, release.tag, id)}`,
    collected_at,
  }))
}

/** Its downloads. Source archives are only for users who can read the code. */
export function assetsOf(view: ReleaseView, at: Presentation) {
  const { release, project, rights } = view
  const tag = rights.readsCode ? release.tag : undefined
  const first = rights.readsCode ? evidencesOf(view, at)[0] : undefined
  return {
    count: view.links.length + (tag === undefined ? 0 : SOURCE_FORMATS.length),
    ...(tag === undefined ? {} : { sources: sourcesAt(at.url, project, tag) }),
    links: view.links.map((link) => linkView({ id: link.id, link, project, tag }, at)),
    evidence_file_path: first?.filepath ?? null,
  }
}

/** Its milestones that the reader can read. */
export function milestonesOf({ milestones, rights }: ReleaseView, at: Presentation) {
  if (!rights.readsMilestones || milestones.length === 0) return {}
  const milestoneViews = milestones.map(({ row, stats }) => ({
    ...Milestone.present(row, at),
    issue_stats: stats,
  }))
  return { milestones: milestoneViews }
}

/** Its commit and tag, for users who can read the code. */
export function codeOf({ release, project, rights, commit }: ReleaseView, at: Presentation) {
  if (!rights.readsCode) return { commit: undefined }
  const path = fullPath(project)
  return {
    commit: commit && commitView({ commit, path }, at),
    ...(commit ? { commit_path: `/${path}/-/commit/${commit.id}` } : {}),
    tag_path: `/${path}/-/tags/${encodeURIComponent(release.tag)}`,
  }
}
