import { fail } from '../../lib/fail.ts'
import type { Project } from './project.ts'

/** A project that follows another repository. Throws 400 for one that does not. */
export function pullMirrorOf(project: Project): Project {
  if (project.mirror === 0) throw fail('bad_request', 'The project is not mirrored')
  return project
}
