import type { Presentation } from '../../../http/entity.ts'
import { Milestone } from '../../planning/milestones/entity.ts'
import { fullPath } from '../../projects/index.ts'
import { commitView } from '../../repository/commits/entity.ts'
import { pathOfEvidence } from '../addresses/paths.ts'
import { linkView } from '../links/entity.ts'
import { SOURCE_FORMATS, sourcesAt } from '../sources.ts'
import type { ReleaseView } from './view.ts'

/** What was written down about it. */
export function evidencesOf({ evidences, project, release }: ReleaseView, at: Presentation) {
  return evidences.map(({ id, sha, collected_at }) => ({
    sha,
    filepath: `${at.url}${pathOfEvidence(project, release.tag, id)}`,
    collected_at,
  }))
}

/** What there is to download. The code counts for who may read it. */
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

/** The milestones that belong to it, for who may read them. */
export function milestonesOf({ milestones, rights }: ReleaseView, at: Presentation) {
  if (!rights.readsMilestones || milestones.length === 0) return {}
  const shown = milestones.map(({ row, stats }) => ({ ...Milestone.present(row, at), issue_stats: stats }))
  return { milestones: shown }
}

/** Its commit and tag, for who may read the code. */
export function codeOf({ release, project, rights, commit }: ReleaseView, at: Presentation) {
  if (!rights.readsCode) return { commit: undefined }
  const path = fullPath(project)
  return {
    commit: commit && commitView({ commit, path }, at),
    ...(commit ? { commit_path: `/${path}/-/commit/${commit.id}` } : {}),
    tag_path: `/${path}/-/tags/${encodeURIComponent(release.tag)}`,
  }
}
