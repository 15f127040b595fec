export {
  attributesOf,
  columnsOf,
  groupOf,
  narrowestOf,
  type GroupColumns,
  type ImportedGroup,
} from './attributes.ts'
export { writeGroupArchive } from './archive/run-thread.ts'
