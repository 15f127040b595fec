import { GitActionError, GitError, GitInputError } from '../errors.ts'
import { identityLine } from './identity.ts'
import type { Identity } from './identity.ts'
import { checkPath, isObjectId } from '../names.ts'
import { parsePlainCommit } from '../plain/commit.ts'
import { cacheCommits } from '../read/commits.ts'
import { newObject, writeObjects } from '../read/objects.ts'
import type { NewObject } from '../read/objects.ts'
import { CHECKED_NAMES } from './loose-objects.ts'
import { TreeEditor } from './tree-editor.ts'
import { cacheWritten, rootTree } from './tree-object.ts'
import type { Repo } from '../types.ts'

/** One change to a tree. Without `executable`, an existing file keeps its mode and a new one is not executable. */
export type CommitAction =
  | {
      readonly action: 'create'
      readonly path: string
      readonly content: Buffer
      readonly executable?: boolean
    }
  | {
      readonly action: 'update'
      readonly path: string
      readonly content: Buffer
      readonly executable?: boolean
    }
  | { readonly action: 'delete'; readonly path: string }
  | {
      readonly action: 'move'
      readonly path: string
      readonly previous_path: string
      /** Default: the file keeps its content. */
      readonly content?: Buffer
      readonly executable?: boolean
    }
  | { readonly action: 'chmod'; readonly path: string; readonly executable: boolean }
  /** Points an existing submodule to another commit. */
  | { readonly action: 'submodule'; readonly path: string; readonly commit: string }

export interface NewCommit {
  readonly parents: readonly string[]
  readonly message: string
  readonly author: Identity
  readonly committer: Identity
}

/**
 * Creates a commit from changes to the tree of `base` (a full commit id, null for an empty tree), without a work tree
 * and without changing a ref. If nothing changed, `tree_id` equals that of the base. Each action applies to the result of
 * the previous ones. Throws GitActionError when an action is impossible; then nothing is written.
 */
export async function createCommit(
  repo: Repo,
  base: string | null,
  actions: readonly CommitAction[],
  commit: NewCommit,
): Promise<{ id: string; tree_id: string }> {
  const objects: NewObject[] = []
  const { tree, checked } = await changeTree(repo, base, actions, objects)
  const object = await newObject('commit', commitContent(tree, commit))
  await writeChecked(repo, [...objects, object], checked)
  await cacheWritten(repo, [...objects, object])
  const plain = parsePlainCommit(object.id, object.content)
  if (plain) cacheCommits(repo, [plain])
  return { id: object.id, tree_id: tree }
}

/** Creates a commit with an existing tree, such as the result of a merge, and returns its id. No ref changes. */
export async function createCommitOfTree(repo: Repo, tree: string, commit: NewCommit): Promise<string> {
  if (!isObjectId(tree)) throw new GitInputError('The object id is invalid.')
  const object = await newObject('commit', commitContent(tree, commit))
  await writeChecked(repo, [object])
  return object.id
}

async function changeTree(
  repo: Repo,
  base: string | null,
  actions: readonly CommitAction[],
  objects: NewObject[],
): Promise<{ tree: string; checked: Set<string> }> {
  const tree = base === null ? null : await rootTree(repo, base)
  if (base !== null && tree === null) throw new GitActionError('no_base', '')
  const editor = await TreeEditor.open(repo, tree)
  const checked = new Set<string>()
  for (const name of CHECKED_NAMES) {
    const entry = await editor.get(name)
    if (entry !== undefined && entry !== 'folder') checked.add(`${name} ${entry.id}`)
  }
  for (const action of actions) await apply(editor, action, objects)
  return { tree: await editor.finish(objects), checked }
}

async function apply(editor: TreeEditor, action: CommitAction, objects: NewObject[]): Promise<void> {
  checkNewPath(action.path)
  switch (action.action) {
    case 'create':
      await expectFreePath(editor, action.path)
      return editor.set(action.path, await newEntry(action, '100644', objects))
    case 'update': {
      const { mode } = await expectFile(editor, action.path)
      return editor.set(action.path, await newEntry(action, mode, objects))
    }
    case 'delete':
      await expectFile(editor, action.path)
      return editor.remove(action.path)
    case 'move':
      return move(editor, action, objects)
    case 'chmod': {
      const { id, mode } = await expectFile(editor, action.path)
      return editor.set(action.path, { id, mode: withExecutable(mode, action.executable) })
    }
    case 'submodule': {
      const current = await editor.get(action.path)
      if (!isObjectId(action.commit)) throw new GitInputError('The object id is invalid.')
      if (current === undefined || current === 'folder' || current.mode !== '160000') {
        throw new GitActionError('file_missing', action.path)
      }
      return editor.set(action.path, { id: action.commit, mode: '160000' })
    }
  }
}

async function move(
  editor: TreeEditor,
  action: Extract<CommitAction, { action: 'move' }>,
  objects: NewObject[],
): Promise<void> {
  checkNewPath(action.previous_path)
  const { id, mode } = await expectFile(editor, action.previous_path)
  // The old path is removed first, so that `a` can move to `a/b`.
  await editor.remove(action.previous_path)
  if (action.path !== action.previous_path) await expectFreePath(editor, action.path)
  const { content, executable } = action
  const entry =
    content === undefined
      ? { id, mode: withExecutable(mode, executable) }
      : await newEntry({ content, executable }, mode, objects)
  await editor.set(action.path, entry)
}

/** Creates a blob and returns the entry of its file. */
async function newEntry(
  source: { readonly content: Buffer; readonly executable?: boolean },
  mode: string,
  objects: NewObject[],
): Promise<{ id: string; mode: string }> {
  const blob = await newObject('blob', source.content)
  objects.push(blob)
  return { id: blob.id, mode: withExecutable(mode, source.executable) }
}

function withExecutable(mode: string, executable: boolean | undefined): string {
  if (executable === undefined || !mode.startsWith('100')) return mode
  return executable ? '100755' : '100644'
}

async function expectFreePath(editor: TreeEditor, path: string): Promise<void> {
  const current = await editor.get(path)
  if (current === 'folder') throw new GitActionError('folder_exists', path)
  if (current !== undefined) throw new GitActionError('file_exists', path)
}

async function expectFile(editor: TreeEditor, path: string): Promise<{ id: string; mode: string }> {
  const current = await editor.get(path)
  if (current === undefined || current === 'folder' || current.mode === '160000') {
    throw new GitActionError('file_missing', path)
  }
  return current
}

/** Refuses paths that git would not check out. Git itself refuses variants of `.git` on other systems later. */
function checkNewPath(path: string): void {
  try {
    checkPath(path)
  } catch {
    throw new GitActionError('invalid_path', path)
  }
  if (path.split('/').some((part) => part.toLowerCase() === '.git'))
    throw new GitActionError('invalid_path', path)
}

/** The bytes of a commit object. */
export function commitContent(tree: string, commit: NewCommit): Buffer {
  if (commit.message.includes('\0')) throw new GitInputError('A null character is not allowed in a message.')
  for (const parent of commit.parents) {
    if (!isObjectId(parent)) throw new GitInputError('The object id is invalid.')
  }
  const message = commit.message.toWellFormed()
  const lines = [
    `tree ${tree}`,
    ...commit.parents.map((parent) => `parent ${parent}`),
    `author ${identityLine(commit.author)}`,
    `committer ${identityLine(commit.committer)}`,
    '',
    message.endsWith('\n') ? message : `${message}\n`,
  ]
  return Buffer.from(lines.join('\n'), 'utf8')
}

async function writeChecked(
  repo: Repo,
  objects: readonly NewObject[],
  checked?: ReadonlySet<string>,
): Promise<void> {
  try {
    await writeObjects(repo, objects, checked ? { checked } : {})
  } catch (error) {
    if (!(error instanceof GitError)) throw error
    if (/hasDot|symlink(?:Target|Pointer)/i.test(error.stderr)) throw new GitActionError('invalid_path', '')
    if (/gitmodules/i.test(error.stderr)) throw new GitActionError('invalid_content', '.gitmodules')
    throw error
  }
}
