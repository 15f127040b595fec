import { t } from '../../../locales/t.ts'
/** A file of a folder, with its path below it. */
export type Entry = { path: string; file: File }
/** A folder that was chosen or dropped. */
export type Folder = { name: string; kind: 'repository' | 'bare' | 'files'; entries: Entry[]; bytes: number }

const MOST_FILES = 200_000
/** Of a repository, only objects and refs are sent. */
const OF_REPOSITORY =
  /^(HEAD|packed-refs|refs\/(heads|tags)\/|objects\/[0-9a-f]{2}\/|objects\/pack\/pack-[0-9a-f]{40}\.(pack|idx)$)/

/** Why a folder is not taken. */
export class FolderProblem extends Error {}

/** Names that a `.gitignore` rules out wholly, as `node_modules/`; the instance looks at all of its rules. */
const plainRules = (text: string): string[] => {
  const lines = text.split(/\r?\n/).map((line) => line.trim())
  // Ignored entries could be included by a later rule.
  if (lines.some((line) => line.startsWith('!'))) return []
  return lines.filter((line) => /^\/?[\w.@ -]+\/?$/.test(line)).map((line) => line.replace(/^\/|\/$/g, ''))
}

const folderOf = (name: string, found: Entry[]): Folder => {
  const has = (path: string) => found.some((entry) => entry.path === path)
  if (has('.git')) throw new FolderProblem(t('import.this_is_a_worktree_of_another'))
  const inGit = found.filter(({ path }) => path.startsWith('.git/'))
  const isBare = has('HEAD') && found.some(({ path }) => path.startsWith('objects/'))
  const kind = inGit.length > 0 ? 'repository' : isBare ? 'bare' : 'files'
  const entries =
    kind === 'files'
      ? found
      : kind === 'bare'
        ? found.filter(({ path }) => OF_REPOSITORY.test(path))
        : inGit.filter(({ path }) => OF_REPOSITORY.test(path.slice('.git/'.length)))
  if (entries.length === 0) throw new FolderProblem(t('import.this_folder_is_empty'))
  return { name, kind, entries, bytes: entries.reduce((sum, { file }) => sum + file.size, 0) }
}

const filesOfEntry = (entry: FileSystemFileEntry) =>
  new Promise<File>((resolve, reject) => entry.file(resolve, reject))

const listOf = async (folder: FileSystemDirectoryEntry): Promise<FileSystemEntry[]> => {
  const reader = folder.createReader()
  const all: FileSystemEntry[] = []
  for (;;) {
    const some = await new Promise<FileSystemEntry[]>((resolve, reject) =>
      reader.readEntries(resolve, reject),
    )
    if (some.length === 0) return all
    all.push(...some)
  }
}

const ignoredIn = async (list: readonly FileSystemEntry[]): Promise<string[]> => {
  const rules = list.find((one) => one.isFile && one.name === '.gitignore')
  return rules ? plainRules(await (await filesOfEntry(rules as FileSystemFileEntry)).text()) : []
}

/** A folder that was dropped: of a repository only its `.git` is looked into. */
export const readDropped = async (dropped: FileSystemDirectoryEntry): Promise<Folder> => {
  const found: Entry[] = []
  const walk = async (folder: FileSystemDirectoryEntry, prefix: string): Promise<void> => {
    const list = await listOf(folder)
    const git = prefix === '' ? list.find((one) => one.name === '.git') : undefined
    const ignored = git ? [] : await ignoredIn(list)
    for (const one of git ? [git] : list) {
      if (ignored.includes(one.name)) continue
      const path = `${prefix}${one.name}`
      if (one.isDirectory) await walk(one as FileSystemDirectoryEntry, `${path}/`)
      else found.push({ path, file: await filesOfEntry(one as FileSystemFileEntry) })
      if (found.length > MOST_FILES) throw new FolderProblem(t('import.this_folder_has_too_many_files'))
    }
  }
  await walk(dropped, '')
  return folderOf(dropped.name, found)
}

/** A folder that was chosen with the file dialog. */
export const readChosen = async (files: FileList): Promise<Folder> => {
  const [first] = files
  if (!first) throw new FolderProblem(t('import.this_folder_is_empty'))
  const name = first.webkitRelativePath.split('/')[0] ?? 'folder'
  const all = [...files].map((file) => ({ file, path: file.webkitRelativePath.slice(name.length + 1) }))
  const rules = all.find(({ path }) => path === '.gitignore')
  const ignored = rules ? plainRules(await rules.file.text()) : []
  const found = all.filter(({ path }) => !path.split('/').some((part) => ignored.includes(part)))
  if (found.length > MOST_FILES) throw new FolderProblem(t('import.this_folder_has_too_many_files'))
  return folderOf(name, found)
}

/** The folder among what was dropped. */
export const droppedFolder = (data: DataTransfer | null): FileSystemDirectoryEntry | null => {
  const entries = [...(data?.items ?? [])].map((item) => item.webkitGetAsEntry())
  return (entries.find((one) => one?.isDirectory) as FileSystemDirectoryEntry | undefined) ?? null
}
