/** A file to upload, and its path relative to the target folder. */
export type Picked = { path: string; file: File }

const readAll = async (reader: FileSystemDirectoryReader): Promise<FileSystemEntry[]> => {
  const all: FileSystemEntry[] = []
  for (;;) {
    // The entries of a folder arrive in batches; an empty batch is the end.
    const part = await new Promise<FileSystemEntry[]>((resolve, reject) =>
      reader.readEntries(resolve, reject),
    )
    if (part.length === 0) return all
    all.push(...part)
  }
}

const fileOf = (entry: FileSystemFileEntry): Promise<File> =>
  new Promise((resolve, reject) => entry.file(resolve, reject))

const walk = async (entry: FileSystemEntry): Promise<Picked[]> => {
  const path = entry.fullPath.replace(/^\/+/, '')
  if (entry.isFile) return [{ path, file: await fileOf(entry as FileSystemFileEntry) }]
  // The `.git` folder of a work tree is left out.
  if (entry.name === '.git') return []
  const children = await readAll((entry as FileSystemDirectoryEntry).createReader())
  return (await Promise.all(children.map(walk))).flat()
}

/** Everything that was dropped, folders with all that is in them. */
export const droppedFiles = async (data: DataTransfer): Promise<Picked[]> => {
  // The browser clears the entries after the first await, so they are read at once.
  const entries = [...data.items].flatMap((item) => item.webkitGetAsEntry() ?? [])
  if (entries.length > 0) return (await Promise.all(entries.map(walk))).flat()
  return pickedFiles(data.files)
}

/** The files of a picker; files of a picked folder keep their relative paths. */
export const pickedFiles = (files: FileList | readonly File[]): Picked[] =>
  [...files]
    .map((file) => ({ path: file.webkitRelativePath || file.name, file }))
    .filter(({ path }) => !path.split('/').includes('.git'))
