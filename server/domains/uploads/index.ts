export {
  avatarParam,
  checkAvatar,
  endingOf,
  isPicture,
  removeAvatar,
  replaceAvatar,
  type AvatarKind,
} from './avatars.ts'
export { avatarFile, cleanFileName } from './files.ts'
