export { namesIn, type NameInText } from './names.ts'
