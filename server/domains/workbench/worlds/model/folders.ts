import { readWorld, repeated, type Problem } from './document.ts'

/** A project of a world that gets its content from a folder. */
export interface FolderSource {
  readonly project: string
  /** As the world writes it. */
  readonly folder: string
  /** A problem at its position in the text. */
  problem(message: string): Problem
}

/** The folders that a world refers to. None if the text is not a world, which a check reports. */
export function foldersOf(text: string): FolderSource[] {
  const { value: read, positions, problems } = readWorld(text)
  if (problems.length > 0) return []
  const { value } = repeated(read, positions)
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
