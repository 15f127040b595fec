export { changesOf, type Change } from './changes.ts'
export { commitBlock, commitBlockOf, type CommitBlock } from './commit.ts'
export { labelBlocks, type LabelBlock } from './labels.ts'
export {
  projectBlock,
  projectUrl,
  pushedRepositoryBlock,
  repositoryBlock,
  shortProjectBlock,
  visibilityLevel,
} from './project.ts'
export { hookTime } from './times.ts'
export { withUploads } from './uploads.ts'
export { pictureOf, shownEmail, userBlock, userBlockOf, userBlocks, type UserBlock } from './user.ts'
