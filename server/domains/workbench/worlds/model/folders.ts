import { readWorld, expandRepeats, type Problem } from './document.ts'

/** A project of a world that gets its content from a folder. */
export interface FolderSource {
  readonly project: string
  /** The path as it is in the world. */
  readonly folder: string
  /** A problem at its position in the text. */
  problem(message: string): Problem
}

/** The folders that a world names; none if the text is not a valid world. The check of the world reports that. */
export function foldersOf(text: string): FolderSource[] {
  const { value: parsed, positions, problems } = readWorld(text)
  if (problems.length > 0) return []
  const { value } = expandRepeats(parsed, positions)
  const { projects } = (value ?? {}) as { projects?: unknown }
  if (!Array.isArray(projects)) return []
  return projects.flatMap((project: unknown, index): FolderSource[] => {
    const { path, folder } = (project ?? {}) as { path?: unknown; folder?: unknown }
    if (typeof path !== 'string' || typeof folder !== 'string') return []
    const problem = (message: string): Problem => ({
      ...positions.ofKey(project as object, 'folder'),
      path: `projects[${index}].folder`,
      message,
    })
    return [{ project: path, folder, problem }]
  })
}
