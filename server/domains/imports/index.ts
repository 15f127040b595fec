export { fillProject, type Origin } from './copy.ts'
