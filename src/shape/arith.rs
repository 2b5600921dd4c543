//! Sizes computed in types: from an axis to a number that the type system can add, and back.
//!
//! Stable Rust cannot write `Dim<{ A + B }>`. The `typenum` crate computes with numbers that are types, so a
//! rule takes its axes there by [`Natural`], computes, and comes back by [`ToAxis`]:
//!
//! ```text
//! Dim<28>  --Natural-->  28 in binary, as a type  --Add, Sub, Div ..-->  26  --ToAxis-->  Dim<26>
//! ```
//!
//! The way in ends at 1024, the way back at 2047. No type of `typenum` leaves this folder: signatures and errors
//! show `Dim<26>`. For larger sizes, and in code generic over them, each operation has a twin in `_as`
//! whose result the caller names and a constant assertion checks.

use super::axis::{Axis, Dim, One};
use typenum::consts::*;
use typenum::{UInt, UTerm, Unsigned};

/// An axis whose size is a number in types: `One`, and `Dim<0>` to `Dim<1024>`.
#[diagnostic::on_unimplemented(
    message = "the size of an axis `{Self}` is not computed with in types",
    label = "the size of `{Self}` is too large, or generic",
    note = "sizes from 0 to 1024 are; for others, and in generic code, name the result with the `_as` form of the operation"
)]
pub trait Natural: Axis {
    /// The size as a type.
    #[doc(hidden)]
    type N: Unsigned;
}

/// A number in types that is the size of an axis: 0 to 2047.
#[diagnostic::on_unimplemented(
    message = "the size of this axis is not computed in types",
    label = "the result is larger than 2047",
    note = "name a larger result with the `_as` form of the operation"
)]
pub trait ToAxis {
    /// `Dim` of that size.
    type Axis: Axis;
}

// The way back is a table of 64 rows of 32 numbers, and not one of 2048 impls: between impls for one outer type
// the compiler looks for overlaps pair by pair. A row is a type, named by all but the last five bits of a number.

/// A number of a row, named by its last five bits.
#[doc(hidden)]
pub trait Place<B4, B3, B2, B1, B0> {
    type Axis: Axis;
}

macro_rules! rows {
    ($($Row:ident $Leading:ident $start:literal,)*) => {$(
        #[doc(hidden)]
        pub struct $Row;
        #[diagnostic::do_not_recommend]
        impl<B4, B3, B2, B1, B0> ToAxis for UInt<UInt<UInt<UInt<UInt<$Leading, B4>, B3>, B2>, B1>, B0>
        where
            $Row: Place<B4, B3, B2, B1, B0>,
        {
            type Axis = <$Row as Place<B4, B3, B2, B1, B0>>::Axis;
        }
        places! { $Row, $start, 0; . . . . . }
    )*};
}
macro_rules! places {
    // One more bit for each dot: 0 or 1.
    ($Row:ident, $start:literal, $place:expr; $($bit:ident)* . $($dot:tt)*) => {
        places! { $Row, $start, $place * 2; $($bit)* B0 $($dot)* }
        places! { $Row, $start, $place * 2 + 1; $($bit)* B1 $($dot)* }
    };
    ($Row:ident, $start:literal, $place:expr; $($bit:ident)*) => {
        impl Place<$($bit),*> for $Row {
            type Axis = Dim<{ $start + $place }>;
        }
    };
}
#[rustfmt::skip]
rows! {
    Row0 UTerm 0, Row1 U1 32, Row2 U2 64, Row3 U3 96, Row4 U4 128,
    Row5 U5 160, Row6 U6 192, Row7 U7 224, Row8 U8 256, Row9 U9 288,
    Row10 U10 320, Row11 U11 352, Row12 U12 384, Row13 U13 416, Row14 U14 448,
    Row15 U15 480, Row16 U16 512, Row17 U17 544, Row18 U18 576, Row19 U19 608,
    Row20 U20 640, Row21 U21 672, Row22 U22 704, Row23 U23 736, Row24 U24 768,
    Row25 U25 800, Row26 U26 832, Row27 U27 864, Row28 U28 896, Row29 U29 928,
    Row30 U30 960, Row31 U31 992, Row32 U32 1024, Row33 U33 1056, Row34 U34 1088,
    Row35 U35 1120, Row36 U36 1152, Row37 U37 1184, Row38 U38 1216, Row39 U39 1248,
    Row40 U40 1280, Row41 U41 1312, Row42 U42 1344, Row43 U43 1376, Row44 U44 1408,
    Row45 U45 1440, Row46 U46 1472, Row47 U47 1504, Row48 U48 1536, Row49 U49 1568,
    Row50 U50 1600, Row51 U51 1632, Row52 U52 1664, Row53 U53 1696, Row54 U54 1728,
    Row55 U55 1760, Row56 U56 1792, Row57 U57 1824, Row58 U58 1856, Row59 U59 1888,
    Row60 U60 1920, Row61 U61 1952, Row62 U62 1984, Row63 U63 2016,
}

macro_rules! numbers {
    ($($Number:ident $size:literal,)*) => {$(
        #[diagnostic::do_not_recommend]
        impl ToAxis for $Number {
            type Axis = Dim<$size>;
        }
    )*};
}
// Fewer than five bits.
#[rustfmt::skip]
numbers! {
    U0 0, U1 1, U2 2, U3 3, U4 4, U5 5, U6 6, U7 7,
    U8 8, U9 9, U10 10, U11 11, U12 12, U13 13, U14 14, U15 15,
}

// A table, and not `impl<const N: usize> Natural for Dim<N> where Const<N>: ToUInt`: where the compiler looks
// for a method whose result is computed, it reports the innermost bound, which would then be typenum's.
//
// The sizes are plain literals: between impls for computed sizes the compiler would look for
// overlaps pair by pair, which takes ten seconds.
macro_rules! naturals {
    ($($size:literal $N:ident,)*) => {$(
        #[diagnostic::do_not_recommend]
        impl Natural for Dim<$size> {
            type N = $N;
        }
    )*};
}
#[rustfmt::skip]
naturals! {
    0 U0, 1 U1, 2 U2, 3 U3, 4 U4, 5 U5, 6 U6, 7 U7, 8 U8, 9 U9, 10 U10, 11 U11, 12 U12, 13 U13,
    14 U14, 15 U15, 16 U16, 17 U17, 18 U18, 19 U19, 20 U20, 21 U21, 22 U22, 23 U23, 24 U24, 25 U25,
    26 U26, 27 U27, 28 U28, 29 U29, 30 U30, 31 U31, 32 U32, 33 U33, 34 U34, 35 U35, 36 U36, 37 U37,
    38 U38, 39 U39, 40 U40, 41 U41, 42 U42, 43 U43, 44 U44, 45 U45, 46 U46, 47 U47, 48 U48, 49 U49,
    50 U50, 51 U51, 52 U52, 53 U53, 54 U54, 55 U55, 56 U56, 57 U57, 58 U58, 59 U59, 60 U60, 61 U61,
    62 U62, 63 U63, 64 U64, 65 U65, 66 U66, 67 U67, 68 U68, 69 U69, 70 U70, 71 U71, 72 U72, 73 U73,
    74 U74, 75 U75, 76 U76, 77 U77, 78 U78, 79 U79, 80 U80, 81 U81, 82 U82, 83 U83, 84 U84, 85 U85,
    86 U86, 87 U87, 88 U88, 89 U89, 90 U90, 91 U91, 92 U92, 93 U93, 94 U94, 95 U95, 96 U96, 97 U97,
    98 U98, 99 U99, 100 U100, 101 U101, 102 U102, 103 U103, 104 U104, 105 U105, 106 U106, 107 U107,
    108 U108, 109 U109, 110 U110, 111 U111, 112 U112, 113 U113, 114 U114, 115 U115, 116 U116,
    117 U117, 118 U118, 119 U119, 120 U120, 121 U121, 122 U122, 123 U123, 124 U124, 125 U125,
    126 U126, 127 U127, 128 U128, 129 U129, 130 U130, 131 U131, 132 U132, 133 U133, 134 U134,
    135 U135, 136 U136, 137 U137, 138 U138, 139 U139, 140 U140, 141 U141, 142 U142, 143 U143,
    144 U144, 145 U145, 146 U146, 147 U147, 148 U148, 149 U149, 150 U150, 151 U151, 152 U152,
    153 U153, 154 U154, 155 U155, 156 U156, 157 U157, 158 U158, 159 U159, 160 U160, 161 U161,
    162 U162, 163 U163, 164 U164, 165 U165, 166 U166, 167 U167, 168 U168, 169 U169, 170 U170,
    171 U171, 172 U172, 173 U173, 174 U174, 175 U175, 176 U176, 177 U177, 178 U178, 179 U179,
    180 U180, 181 U181, 182 U182, 183 U183, 184 U184, 185 U185, 186 U186, 187 U187, 188 U188,
    189 U189, 190 U190, 191 U191, 192 U192, 193 U193, 194 U194, 195 U195, 196 U196, 197 U197,
    198 U198, 199 U199, 200 U200, 201 U201, 202 U202, 203 U203, 204 U204, 205 U205, 206 U206,
    207 U207, 208 U208, 209 U209, 210 U210, 211 U211, 212 U212, 213 U213, 214 U214, 215 U215,
    216 U216, 217 U217, 218 U218, 219 U219, 220 U220, 221 U221, 222 U222, 223 U223, 224 U224,
    225 U225, 226 U226, 227 U227, 228 U228, 229 U229, 230 U230, 231 U231, 232 U232, 233 U233,
    234 U234, 235 U235, 236 U236, 237 U237, 238 U238, 239 U239, 240 U240, 241 U241, 242 U242,
    243 U243, 244 U244, 245 U245, 246 U246, 247 U247, 248 U248, 249 U249, 250 U250, 251 U251,
    252 U252, 253 U253, 254 U254, 255 U255, 256 U256, 257 U257, 258 U258, 259 U259, 260 U260,
    261 U261, 262 U262, 263 U263, 264 U264, 265 U265, 266 U266, 267 U267, 268 U268, 269 U269,
    270 U270, 271 U271, 272 U272, 273 U273, 274 U274, 275 U275, 276 U276, 277 U277, 278 U278,
    279 U279, 280 U280, 281 U281, 282 U282, 283 U283, 284 U284, 285 U285, 286 U286, 287 U287,
    288 U288, 289 U289, 290 U290, 291 U291, 292 U292, 293 U293, 294 U294, 295 U295, 296 U296,
    297 U297, 298 U298, 299 U299, 300 U300, 301 U301, 302 U302, 303 U303, 304 U304, 305 U305,
    306 U306, 307 U307, 308 U308, 309 U309, 310 U310, 311 U311, 312 U312, 313 U313, 314 U314,
    315 U315, 316 U316, 317 U317, 318 U318, 319 U319, 320 U320, 321 U321, 322 U322, 323 U323,
    324 U324, 325 U325, 326 U326, 327 U327, 328 U328, 329 U329, 330 U330, 331 U331, 332 U332,
    333 U333, 334 U334, 335 U335, 336 U336, 337 U337, 338 U338, 339 U339, 340 U340, 341 U341,
    342 U342, 343 U343, 344 U344, 345 U345, 346 U346, 347 U347, 348 U348, 349 U349, 350 U350,
    351 U351, 352 U352, 353 U353, 354 U354, 355 U355, 356 U356, 357 U357, 358 U358, 359 U359,
    360 U360, 361 U361, 362 U362, 363 U363, 364 U364, 365 U365, 366 U366, 367 U367, 368 U368,
    369 U369, 370 U370, 371 U371, 372 U372, 373 U373, 374 U374, 375 U375, 376 U376, 377 U377,
    378 U378, 379 U379, 380 U380, 381 U381, 382 U382, 383 U383, 384 U384, 385 U385, 386 U386,
    387 U387, 388 U388, 389 U389, 390 U390, 391 U391, 392 U392, 393 U393, 394 U394, 395 U395,
    396 U396, 397 U397, 398 U398, 399 U399, 400 U400, 401 U401, 402 U402, 403 U403, 404 U404,
    405 U405, 406 U406, 407 U407, 408 U408, 409 U409, 410 U410, 411 U411, 412 U412, 413 U413,
    414 U414, 415 U415, 416 U416, 417 U417, 418 U418, 419 U419, 420 U420, 421 U421, 422 U422,
    423 U423, 424 U424, 425 U425, 426 U426, 427 U427, 428 U428, 429 U429, 430 U430, 431 U431,
    432 U432, 433 U433, 434 U434, 435 U435, 436 U436, 437 U437, 438 U438, 439 U439, 440 U440,
    441 U441, 442 U442, 443 U443, 444 U444, 445 U445, 446 U446, 447 U447, 448 U448, 449 U449,
    450 U450, 451 U451, 452 U452, 453 U453, 454 U454, 455 U455, 456 U456, 457 U457, 458 U458,
    459 U459, 460 U460, 461 U461, 462 U462, 463 U463, 464 U464, 465 U465, 466 U466, 467 U467,
    468 U468, 469 U469, 470 U470, 471 U471, 472 U472, 473 U473, 474 U474, 475 U475, 476 U476,
    477 U477, 478 U478, 479 U479, 480 U480, 481 U481, 482 U482, 483 U483, 484 U484, 485 U485,
    486 U486, 487 U487, 488 U488, 489 U489, 490 U490, 491 U491, 492 U492, 493 U493, 494 U494,
    495 U495, 496 U496, 497 U497, 498 U498, 499 U499, 500 U500, 501 U501, 502 U502, 503 U503,
    504 U504, 505 U505, 506 U506, 507 U507, 508 U508, 509 U509, 510 U510, 511 U511, 512 U512,
    513 U513, 514 U514, 515 U515, 516 U516, 517 U517, 518 U518, 519 U519, 520 U520, 521 U521,
    522 U522, 523 U523, 524 U524, 525 U525, 526 U526, 527 U527, 528 U528, 529 U529, 530 U530,
    531 U531, 532 U532, 533 U533, 534 U534, 535 U535, 536 U536, 537 U537, 538 U538, 539 U539,
    540 U540, 541 U541, 542 U542, 543 U543, 544 U544, 545 U545, 546 U546, 547 U547, 548 U548,
    549 U549, 550 U550, 551 U551, 552 U552, 553 U553, 554 U554, 555 U555, 556 U556, 557 U557,
    558 U558, 559 U559, 560 U560, 561 U561, 562 U562, 563 U563, 564 U564, 565 U565, 566 U566,
    567 U567, 568 U568, 569 U569, 570 U570, 571 U571, 572 U572, 573 U573, 574 U574, 575 U575,
    576 U576, 577 U577, 578 U578, 579 U579, 580 U580, 581 U581, 582 U582, 583 U583, 584 U584,
    585 U585, 586 U586, 587 U587, 588 U588, 589 U589, 590 U590, 591 U591, 592 U592, 593 U593,
    594 U594, 595 U595, 596 U596, 597 U597, 598 U598, 599 U599, 600 U600, 601 U601, 602 U602,
    603 U603, 604 U604, 605 U605, 606 U606, 607 U607, 608 U608, 609 U609, 610 U610, 611 U611,
    612 U612, 613 U613, 614 U614, 615 U615, 616 U616, 617 U617, 618 U618, 619 U619, 620 U620,
    621 U621, 622 U622, 623 U623, 624 U624, 625 U625, 626 U626, 627 U627, 628 U628, 629 U629,
    630 U630, 631 U631, 632 U632, 633 U633, 634 U634, 635 U635, 636 U636, 637 U637, 638 U638,
    639 U639, 640 U640, 641 U641, 642 U642, 643 U643, 644 U644, 645 U645, 646 U646, 647 U647,
    648 U648, 649 U649, 650 U650, 651 U651, 652 U652, 653 U653, 654 U654, 655 U655, 656 U656,
    657 U657, 658 U658, 659 U659, 660 U660, 661 U661, 662 U662, 663 U663, 664 U664, 665 U665,
    666 U666, 667 U667, 668 U668, 669 U669, 670 U670, 671 U671, 672 U672, 673 U673, 674 U674,
    675 U675, 676 U676, 677 U677, 678 U678, 679 U679, 680 U680, 681 U681, 682 U682, 683 U683,
    684 U684, 685 U685, 686 U686, 687 U687, 688 U688, 689 U689, 690 U690, 691 U691, 692 U692,
    693 U693, 694 U694, 695 U695, 696 U696, 697 U697, 698 U698, 699 U699, 700 U700, 701 U701,
    702 U702, 703 U703, 704 U704, 705 U705, 706 U706, 707 U707, 708 U708, 709 U709, 710 U710,
    711 U711, 712 U712, 713 U713, 714 U714, 715 U715, 716 U716, 717 U717, 718 U718, 719 U719,
    720 U720, 721 U721, 722 U722, 723 U723, 724 U724, 725 U725, 726 U726, 727 U727, 728 U728,
    729 U729, 730 U730, 731 U731, 732 U732, 733 U733, 734 U734, 735 U735, 736 U736, 737 U737,
    738 U738, 739 U739, 740 U740, 741 U741, 742 U742, 743 U743, 744 U744, 745 U745, 746 U746,
    747 U747, 748 U748, 749 U749, 750 U750, 751 U751, 752 U752, 753 U753, 754 U754, 755 U755,
    756 U756, 757 U757, 758 U758, 759 U759, 760 U760, 761 U761, 762 U762, 763 U763, 764 U764,
    765 U765, 766 U766, 767 U767, 768 U768, 769 U769, 770 U770, 771 U771, 772 U772, 773 U773,
    774 U774, 775 U775, 776 U776, 777 U777, 778 U778, 779 U779, 780 U780, 781 U781, 782 U782,
    783 U783, 784 U784, 785 U785, 786 U786, 787 U787, 788 U788, 789 U789, 790 U790, 791 U791,
    792 U792, 793 U793, 794 U794, 795 U795, 796 U796, 797 U797, 798 U798, 799 U799, 800 U800,
    801 U801, 802 U802, 803 U803, 804 U804, 805 U805, 806 U806, 807 U807, 808 U808, 809 U809,
    810 U810, 811 U811, 812 U812, 813 U813, 814 U814, 815 U815, 816 U816, 817 U817, 818 U818,
    819 U819, 820 U820, 821 U821, 822 U822, 823 U823, 824 U824, 825 U825, 826 U826, 827 U827,
    828 U828, 829 U829, 830 U830, 831 U831, 832 U832, 833 U833, 834 U834, 835 U835, 836 U836,
    837 U837, 838 U838, 839 U839, 840 U840, 841 U841, 842 U842, 843 U843, 844 U844, 845 U845,
    846 U846, 847 U847, 848 U848, 849 U849, 850 U850, 851 U851, 852 U852, 853 U853, 854 U854,
    855 U855, 856 U856, 857 U857, 858 U858, 859 U859, 860 U860, 861 U861, 862 U862, 863 U863,
    864 U864, 865 U865, 866 U866, 867 U867, 868 U868, 869 U869, 870 U870, 871 U871, 872 U872,
    873 U873, 874 U874, 875 U875, 876 U876, 877 U877, 878 U878, 879 U879, 880 U880, 881 U881,
    882 U882, 883 U883, 884 U884, 885 U885, 886 U886, 887 U887, 888 U888, 889 U889, 890 U890,
    891 U891, 892 U892, 893 U893, 894 U894, 895 U895, 896 U896, 897 U897, 898 U898, 899 U899,
    900 U900, 901 U901, 902 U902, 903 U903, 904 U904, 905 U905, 906 U906, 907 U907, 908 U908,
    909 U909, 910 U910, 911 U911, 912 U912, 913 U913, 914 U914, 915 U915, 916 U916, 917 U917,
    918 U918, 919 U919, 920 U920, 921 U921, 922 U922, 923 U923, 924 U924, 925 U925, 926 U926,
    927 U927, 928 U928, 929 U929, 930 U930, 931 U931, 932 U932, 933 U933, 934 U934, 935 U935,
    936 U936, 937 U937, 938 U938, 939 U939, 940 U940, 941 U941, 942 U942, 943 U943, 944 U944,
    945 U945, 946 U946, 947 U947, 948 U948, 949 U949, 950 U950, 951 U951, 952 U952, 953 U953,
    954 U954, 955 U955, 956 U956, 957 U957, 958 U958, 959 U959, 960 U960, 961 U961, 962 U962,
    963 U963, 964 U964, 965 U965, 966 U966, 967 U967, 968 U968, 969 U969, 970 U970, 971 U971,
    972 U972, 973 U973, 974 U974, 975 U975, 976 U976, 977 U977, 978 U978, 979 U979, 980 U980,
    981 U981, 982 U982, 983 U983, 984 U984, 985 U985, 986 U986, 987 U987, 988 U988, 989 U989,
    990 U990, 991 U991, 992 U992, 993 U993, 994 U994, 995 U995, 996 U996, 997 U997, 998 U998,
    999 U999, 1000 U1000, 1001 U1001, 1002 U1002, 1003 U1003, 1004 U1004, 1005 U1005, 1006 U1006,
    1007 U1007, 1008 U1008, 1009 U1009, 1010 U1010, 1011 U1011, 1012 U1012, 1013 U1013, 1014 U1014,
    1015 U1015, 1016 U1016, 1017 U1017, 1018 U1018, 1019 U1019, 1020 U1020, 1021 U1021, 1022 U1022,
    1023 U1023, 1024 U1024,
}

impl Natural for One {
    type N = U1;
}

#[cfg(test)]
mod tests {
    use super::*;
    use typenum::Sum;

    #[test]
    fn sizes_lead_in_and_back() {
        fn round_trip<A: Natural<N: ToAxis>>() -> (usize, usize) {
            (
                <A::N as Unsigned>::USIZE,
                <<A::N as ToAxis>::Axis as Axis>::SIZE,
            )
        }
        assert_eq!(round_trip::<Dim<0>>(), (0, 0));
        assert_eq!(round_trip::<Dim<1>>(), (1, 1));
        assert_eq!(round_trip::<One>(), (1, 1));
        assert_eq!(round_trip::<Dim<1024>>(), (1024, 1024));
    }

    #[test]
    fn sums_are_axes() {
        type Joined = <Sum<<Dim<1024> as Natural>::N, <Dim<1023> as Natural>::N> as ToAxis>::Axis;
        assert_eq!(Joined::SIZE, 2047);
    }
}
