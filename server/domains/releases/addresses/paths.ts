import { fullPath, type Project } from '../../projects/index.ts'

type ProjectPath = Pick<Project, 'namespace_full_path' | 'path'>

/** The page of a release, below the instance; tags keep their slashes encoded, so that they stay one segment. */
export function pathOfRelease(project: ProjectPath, tag: string): string {
  return `/${fullPath(project)}/-/releases/${encodeURIComponent(tag)}`
}

/** Where the summary of a release is to be had as a file. */
export function pathOfEvidence(project: ProjectPath, tag: string, id: number): string {
  return `${pathOfRelease(project, tag)}/evidences/${id}.json`
}
